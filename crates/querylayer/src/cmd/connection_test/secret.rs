//! The token, as far as it can be judged without anybody.

use std::env;

use ql_core::token::{Token, TokenKind};

use super::Code;
use super::report::Fault;

const AGAIN: &str =
    "Copy the token again, or rotate the connection: a secret is shown once and can't be looked up";

/// A token of the right form.
#[derive(Debug)]
pub(super) struct Secret(Token);

impl Secret {
    /// Reads the variable.
    pub(super) fn read(variable: &str) -> Result<(Self, String), Fault> {
        let text = match env::var(variable) {
            Ok(text) if !text.trim().is_empty() => text,
            Ok(_) => return Err(absent(variable, "is empty")),
            Err(env::VarError::NotPresent) => return Err(absent(variable, "isn't set")),
            Err(env::VarError::NotUnicode(_)) => return Err(malformed(variable, "isn't text")),
        };
        match Token::parse(TokenKind::Connection, &text) {
            Some(token) => {
                let says = format!("{variable} holds a token, {}…", token.prefix());
                Ok((Self(token), says))
            }
            None if Token::parse(TokenKind::Personal, &text).is_some() => Err(of_member(variable)),
            None => Err(malformed(variable, flaw(&text))),
        }
    }

    /// The whole secret.
    pub(super) fn text(&self) -> &str {
        self.0.expose()
    }

    /// The part of it that is stored and shown.
    pub(super) fn prefix(&self) -> &str {
        self.0.prefix()
    }
}

fn absent(variable: &str, how: &str) -> Fault {
    Fault::new(
        Code::TokenAbsent,
        format!("the variable {variable} {how}, so a client that reads it sends no token"),
        format!(
            "Set it in the environment that starts the client: export {variable}=qla_…; or name another variable with --token-env"
        ),
    )
}

fn malformed(variable: &str, how: &str) -> Fault {
    Fault::new(
        Code::TokenMalformed,
        format!("what {variable} holds {how}"),
        AGAIN,
    )
}

fn of_member(variable: &str) -> Fault {
    Fault::new(
        Code::TokenOfMember,
        format!(
            "{variable} holds a member's personal token (qlp_…), which opens the HTTP API and not MCP"
        ),
        "Issue a connection for the agent: querylayer connection create",
    )
}

/// What is wrong with a text that isn't a token, most telling first. The text isn't repeated.
fn flaw(text: &str) -> &'static str {
    let bare = text.trim();
    let quoted = bare.starts_with(['"', '\'']) || bare.ends_with(['"', '\'']);
    if text != bare {
        "has a space or a line break around it"
    } else if bare.starts_with("${") || bare.starts_with('$') {
        "is the name of a variable that nothing filled in"
    } else if bare
        .get(..7)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("bearer "))
    {
        "begins with `Bearer`, which the client adds by itself"
    } else if quoted {
        "has quotes around it"
    } else if !bare.starts_with("qla_") {
        "isn't a token: one begins with qla_"
    } else if bare.len() < 40 {
        "is cut off: a token has 40 characters"
    } else if bare.len() > 40 {
        "is too long: a token has 40 characters"
    } else {
        "isn't a token that was ever issued: its checksum doesn't fit, so a character was changed"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flaws_are_told_apart() {
        let whole = "qla_000000000000000000000000000000";
        let told: Vec<&str> = [
            format!("{whole}4BxdyD\n"),
            "${QUERYLAYER_TOKEN}".to_owned(),
            format!("Bearer {whole}4BxdyD"),
            format!("\"{whole}4BxdyD\""),
            "sk-123".to_owned(),
            whole.to_owned(),
            format!("{whole}4BxdyDD"),
            format!("{whole}4BxdyE"),
        ]
        .iter()
        .map(|text| flaw(text))
        .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        has a space or a line break around it
        is the name of a variable that nothing filled in
        begins with `Bearer`, which the client adds by itself
        has quotes around it
        isn't a token: one begins with qla_
        is cut off: a token has 40 characters
        is too long: a token has 40 characters
        isn't a token that was ever issued: its checksum doesn't fit, so a character was changed
        ");
    }
}
