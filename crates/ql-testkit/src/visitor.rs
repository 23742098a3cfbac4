//! A visitor of a site, who sends its form.

use ql_app::form::{NewForm, Post, PublicForm};
use ql_app::session::SiteRef;
use ql_core::form::{Field, FieldKind, Rules};
use ql_core::id::SubmissionId;
use ql_core::page::PageRequest;
use ql_core::role::Role;

use crate::app::{Place, TestApp};

/// The key of every place's form.
const FORM: &str = "contact";

/// A form with one question, `message`.
pub fn contact() -> NewForm {
    NewForm {
        key: FORM.to_owned(),
        title: "Contact".to_owned(),
        fields: vec![Field {
            key: "message".to_owned(),
            label: String::new(),
            kind: FieldKind::LongText,
            required: true,
            max_length: None,
        }],
        rules: Rules::default(),
    }
}

impl TestApp {
    /// The place's form, as a visitor gets it.
    pub async fn form(&self, place: &Place) -> PublicForm {
        let owner = self.member_of(place, Role::Owner).await;
        let saved = self.app.save_form(&owner, contact()).await;
        let key = saved.expect("a form").key;
        let site = SiteRef::Id(place.site.id);
        self.app.public_form(&site, &key).await.expect("a form")
    }

    /// A visitor's words, sent without fetching the form first, so that they are held.
    pub async fn post(&self, place: &Place, message: &str) -> SubmissionId {
        let post = Post {
            answers: [("message".to_owned(), message.to_owned())].into(),
            honeypot: None,
            fill_token: None,
            network: "198.51.100.7".to_owned(),
        };
        let form = self.form(place).await;
        let sent = self.app.receive_post(form, post).await;
        sent.expect("received");
        let owner = self.member_of(place, Role::Owner).await;
        let (of, page) = ((FORM, "held"), PageRequest::default());
        let held = self.app.list_submissions(&owner, of, &page).await;
        held.expect("a list").items[0].id
    }
}
