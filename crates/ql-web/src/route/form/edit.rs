//! A form's definition, as a page to fill in.

use ql_app::form::NewForm;
use ql_core::form::{Action, Field, FieldKind, Rules, TextRule};

use crate::edge::desk::Desk;
use crate::edge::error::WebError;
use crate::edge::form::Posted;
use crate::page::{self, Question, Section, Setting};
use crate::part::{Choice, Select};

/// Empty rows below the questions.
const SPARE: usize = 3;

/// A number of the rules: its posted name, its label, what it does, and its place.
type Number = (
    &'static str,
    &'static str,
    &'static str,
    fn(&mut Rules) -> &mut u32,
);

const NUMBERS: [Number; 7] = [
    (
        "min_fill_seconds",
        "Shortest time, seconds",
        "A post that comes sooner after the form was fetched is rejected.",
        |rules| &mut rules.min_fill_seconds,
    ),
    (
        "max_fill_hours",
        "Longest time, hours",
        "A post that comes later is held.",
        |rules| &mut rules.max_fill_hours,
    ),
    ("max_links", "Links", "A post with more is held.", |rules| {
        &mut rules.max_links
    }),
    (
        "posts_per_network",
        "Posts of one network",
        "More are rejected; 0 for any number.",
        |rules| &mut rules.posts_per_network,
    ),
    (
        "network_minutes",
        "… within so many minutes",
        "The time in which they are counted.",
        |rules| &mut rules.network_minutes,
    ),
    (
        "duplicate_hours",
        "The same words, hours",
        "Sent again within this time they are held; 0 for never.",
        |rules| &mut rules.duplicate_hours,
    ),
    (
        "retention_days",
        "Keep rejected posts, days",
        "Then they are removed, and their totals with them.",
        |rules| &mut rules.retention_days,
    ),
];

/// What a new form begins with.
pub(super) fn starter() -> NewForm {
    let field = |key: &str, label: &str, kind, required| Field {
        key: key.to_owned(),
        label: label.to_owned(),
        kind,
        required,
        max_length: None,
    };
    NewForm {
        key: "contact".to_owned(),
        title: "Contact".to_owned(),
        fields: vec![
            field("name", "Your name", FieldKind::Text, false),
            field("email", "Your e-mail address", FieldKind::Email, true),
            field("message", "Message", FieldKind::LongText, true),
        ],
        rules: Rules::default(),
    }
}

/// The page.
pub(super) async fn shown(
    desk: &Desk,
    new: &NewForm,
    is_new: bool,
    problems: Vec<String>,
) -> Result<page::NewForm, WebError> {
    let mut rules = new.rules.clone();
    let numbers = NUMBERS.map(|(name, label, help, number)| Setting {
        name,
        label,
        help,
        value: number(&mut rules).to_string(),
    });
    let mut questions: Vec<Question> = new.fields.iter().map(question).collect();
    questions.extend((0..SPARE).map(|_| blank()));
    let texts = |action: Action| {
        let rules = new.rules.texts.iter();
        let lines = rules.filter(|rule| rule.action == action);
        let lines: Vec<&str> = lines.map(|rule| rule.contains.as_str()).collect();
        lines.join("\n")
    };
    Ok(page::NewForm {
        shell: desk.shell(Section::Forms).await?,
        heading: if is_new {
            "New form".to_owned()
        } else {
            format!("Change {}", new.title)
        },
        action: if is_new {
            desk.at("forms/new")
        } else {
            desk.at(&format!("forms/{}/new-version", new.key))
        },
        key: new.key.clone(),
        is_new,
        title: new.title.clone(),
        questions,
        numbers: numbers.into(),
        disposable: Select {
            name: "disposable_addresses",
            label: "Throw-away mail addresses",
            chosen: new.rules.disposable_addresses.as_str().to_owned(),
            choices: vec![
                Choice::new("allow", "let in"),
                Choice::new("hold", "hold back"),
                Choice::new("reject", "turn away"),
            ],
        },
        held_texts: texts(Action::Hold),
        rejected_texts: texts(Action::Reject),
        problems,
    })
}

fn question(field: &Field) -> Question {
    Question {
        key: field.key.clone(),
        label: field.label.clone(),
        kind: kinds(field.kind),
        required: field.required,
        most: field
            .max_length
            .map_or_else(String::new, |most| most.to_string()),
    }
}

fn blank() -> Question {
    Question {
        key: String::new(),
        label: String::new(),
        kind: kinds(FieldKind::Text),
        required: false,
        most: String::new(),
    }
}

fn kinds(chosen: FieldKind) -> Select {
    let words = ["one line", "e-mail address", "web address", "several lines"];
    let choices = FieldKind::ALL.into_iter().zip(words);
    Select {
        name: "field_type",
        label: "Takes",
        chosen: chosen.as_str().to_owned(),
        choices: choices
            .map(|(kind, word)| Choice::new(kind.as_str(), word))
            .collect(),
    }
}

/// What was filled in, and what of it can't be read.
pub(super) fn read(form: &Posted) -> (NewForm, Vec<String>) {
    let mut problems = Vec::new();
    let mut rules = Rules::default();
    for (name, label, _, number) in NUMBERS {
        match form.text(name).parse() {
            Ok(value) => *number(&mut rules) = value,
            Err(_) => problems.push(format!("{label}: expected a whole number")),
        }
    }
    match form.text("disposable_addresses").parse() {
        Ok(action) => rules.disposable_addresses = action,
        Err(error) => problems.push(format!("Throw-away mail addresses: {error}")),
    }
    for (name, action) in [
        ("held_texts", Action::Hold),
        ("rejected_texts", Action::Reject),
    ] {
        let text = form.text(name);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        rules.texts.extend(lines.map(|line| TextRule {
            contains: line.to_owned(),
            action,
        }));
    }
    let new = NewForm {
        key: form.text("key"),
        title: form.text("title"),
        fields: fields(form, &mut problems),
        rules,
    };
    (new, problems)
}

fn fields(form: &Posted, problems: &mut Vec<String>) -> Vec<Field> {
    let column = |name: &str| form.all(name).map(str::to_owned).collect::<Vec<_>>();
    let (keys, labels) = (column("field_key"), column("field_label"));
    let (kinds, required) = (column("field_type"), column("field_required"));
    let most = column("field_most");
    if [labels.len(), kinds.len(), required.len(), most.len()] != [keys.len(); 4] {
        problems.push("Questions: every row has five parts".to_owned());
        return Vec::new();
    }
    let mut fields = Vec::new();
    for (row, key) in keys.iter().enumerate().filter(|(_, key)| !key.is_empty()) {
        let most = match most[row].as_str() {
            "" => Ok(None),
            most => most.parse().map(Some),
        };
        match (kinds[row].parse(), most) {
            (Ok(kind), Ok(max_length)) => fields.push(Field {
                key: key.clone(),
                label: labels[row].trim().to_owned(),
                kind,
                required: required[row] == "yes",
                max_length,
            }),
            (Err(error), _) => problems.push(format!("Question {}: {error}", row + 1)),
            (_, Err(_)) => problems.push(format!(
                "Question {}: expected a whole number of characters",
                row + 1
            )),
        }
    }
    fields
}
