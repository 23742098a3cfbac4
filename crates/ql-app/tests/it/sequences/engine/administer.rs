//! Connections, permissions, policies and templates, changed.

use ql_app::OpContext;
use ql_app::connection::{IssuedConnection, NewConnection};
use ql_core::time::hours;

use super::super::step::Administer;
use super::{Engine, Said, convert};
impl Engine {
    pub(super) async fn administer(&mut self, ctx: &OpContext, act: Administer) -> Said {
        let app = self.test.app.clone();
        match act {
            Administer::Issue {
                scopes,
                hours: span,
            } => {
                let new = NewConnection {
                    agent: self.test.home.agent.id,
                    name: "another".into(),
                    scopes,
                    expires_at: span.map(|span| self.test.now().plus(hours(span))),
                };
                Said::of(app.create_connection(ctx, new).await, |issued| {
                    self.issued(&issued)
                })
            }
            Administer::Rotate(connection) => {
                let id = self
                    .names
                    .connections
                    .id(connection, self.elsewhere.connections);
                Said::of(app.rotate_connection(ctx, id).await, |issued| {
                    self.issued(&issued)
                })
            }
            Administer::Revoke(connection) => {
                let id = self
                    .names
                    .connections
                    .id(connection, self.elsewhere.connections);
                Said::of(app.revoke_connection(ctx, id).await, |revoked| {
                    format!(
                        "connection {} revoked",
                        self.names.connections.number(revoked.id)
                    )
                })
            }
            Administer::Permit(scopes) => {
                let agent = self.test.home.agent.id;
                let answer = app.set_permissions(ctx, agent, scopes).await;
                Said::of(answer, |()| "permitted".to_owned())
            }
            Administer::Policy(policy) => {
                let answer = app.set_policy(ctx, convert::policy(policy)).await;
                Said::of(answer, |policy| {
                    format!("policy version {}", policy.version)
                })
            }
            Administer::Template(template) => {
                let answer = app.save_template(ctx, convert::template(template)).await;
                Said::of(answer, |saved| {
                    format!("template version {}", saved.version)
                })
            }
        }
    }

    pub(super) fn issued(&mut self, issued: &IssuedConnection) -> String {
        let number = self.names.connections.number(issued.connection.id);
        if number == self.names.secrets.len() {
            self.names.secrets.push(issued.secret.expose().to_owned());
        }
        format!("connection {number} until {}", issued.connection.expires_at)
    }
}
