//! Tools and prompts that ask for something before they answer (multi round-trip requests).

use ql_core::hash::Digest;
use ql_core::id::{IdGen as _, SystemIdGen};
use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, InputRequiredResult, InputResponses};
use serde_json::{Map, Value, json};

/// What is asked for, round by round.
pub(crate) struct Inputs {
    /// Only whoever has it can write a state that is accepted.
    key: [u8; 32],
}

/// A request that asks for input, as far as it has come.
pub(crate) struct Asked<'r> {
    pub(crate) name: &'r str,
    pub(crate) responses: Option<InputResponses>,
    pub(crate) state: Option<&'r str>,
    pub(crate) client: Option<ClientCapabilities>,
}

/// Where such a request stands.
pub(crate) enum Step {
    /// More is needed.
    Ask(InputRequiredResult),
    /// Everything is there: this is what was given.
    Done(Map<String, Value>),
}

impl Default for Inputs {
    fn default() -> Self {
        let mut key = [0; 32];
        SystemIdGen::default().fill(&mut key);
        Self { key }
    }
}

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({
        "type": "object", "properties": { field: { "type": kind } }, "required": [field]
    });
    json!({
        "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema }
    })
}

fn sampling(text: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    json!({
        "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 }
    })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// The requests of each round, and whether a state goes with them.
fn rounds(name: &str) -> Option<(Vec<Value>, bool)> {
    let name_of = || elicitation("What is your name?", "name", "string");
    let confirm = || json!({ "confirm": elicitation("Please confirm", "ok", "boolean") });
    Some(match name.strip_prefix("test_input_required_result_") {
        Some("elicitation") => (vec![json!({ "user_name": name_of() })], false),
        Some("sampling") => {
            let question = sampling("What is the capital of France?");
            (vec![json!({ "capital_question": question })], false)
        }
        Some("list_roots") => (vec![json!({ "client_roots": roots() })], false),
        Some("request_state" | "tampered_state") => (vec![confirm()], true),
        Some("multiple_inputs") => {
            let greeting = sampling("Generate a greeting");
            let all =
                json!({ "user_name": name_of(), "greeting": greeting, "client_roots": roots() });
            (vec![all], true)
        }
        Some("multi_round") => {
            let first = elicitation("Step 1: What is your name?", "name", "string");
            let second = elicitation("Step 2: What is your favorite color?", "color", "string");
            (
                vec![json!({ "step1": first }), json!({ "step2": second })],
                true,
            )
        }
        Some("capabilities") => (
            vec![json!({ "user_name": name_of(), "greeting": sampling("Greet") })],
            false,
        ),
        Some("prompt") => {
            let question = "What context should the prompt use?";
            (
                vec![json!({ "user_context": elicitation(question, "context", "string") })],
                false,
            )
        }
        _ if name == "test_streaming_elicitation" => (vec![confirm()], false),
        _ => return None,
    })
}

impl Inputs {
    /// Where a request stands; `None` for one that asks for nothing.
    ///
    /// # Errors
    /// A state that wasn't given for this request.
    pub(crate) fn step(&self, asked: Asked<'_>) -> Result<Option<Step>, ErrorData> {
        let Some((rounds, with_state)) = rounds(asked.name) else {
            return Ok(None);
        };
        let round = match asked.state {
            None => 0,
            Some(state) => self.open(asked.name, state).ok_or_else(|| {
                ErrorData::invalid_params("requestState wasn't given by this server", None)
            })?,
        };
        let requests = supported(&rounds[round], asked.client.as_ref());
        let given = answered(&requests, asked.responses);
        let next = round + usize::from(given.is_some());
        match (given, rounds.get(next)) {
            (Some(given), None) => Ok(Some(Step::Done(given))),
            (_, requests) => {
                let requests = requests.unwrap_or(&rounds[round]);
                let requests = supported(requests, asked.client.as_ref());
                let state = with_state.then(|| self.seal(asked.name, next));
                let requests = serde_json::from_value(Value::Object(requests))
                    .expect("the requests have the protocol's form");
                Ok(Some(Step::Ask(InputRequiredResult::new(
                    Some(requests),
                    state,
                ))))
            }
        }
    }

    /// What was given, in words.
    pub(crate) fn summary(given: &Map<String, Value>) -> String {
        let name = given.get("user_name");
        match name.and_then(|name| name["content"]["name"].as_str()) {
            Some(name) => format!("Hello, {name}! state-ok"),
            None => format!("state-ok {}", Value::Object(given.clone())),
        }
    }

    fn seal(&self, name: &str, round: usize) -> String {
        let what = format!("{name} {round}");
        let sealed = [&self.key[..], what.as_bytes(), &self.key[..]].concat();
        format!("{round}.{}", Digest::of(&sealed))
    }

    fn open(&self, name: &str, state: &str) -> Option<usize> {
        let round: usize = state.split('.').next()?.parse().ok()?;
        let sound = self.seal(name, round) == state && round < rounds(name)?.0.len();
        sound.then_some(round)
    }
}

/// What of it the client said that it can do; everything, for one that said nothing.
fn supported(requests: &Value, client: Option<&ClientCapabilities>) -> Map<String, Value> {
    let can = |request: &Value| {
        let Some(client) = client else { return true };
        match request["method"].as_str() {
            Some("sampling/createMessage") => client.sampling.is_some(),
            Some("elicitation/create") => client.elicitation.is_some(),
            _ => client.roots.is_some(),
        }
    };
    let requests = requests.as_object().into_iter().flatten();
    let kept = requests.filter(|(_, request)| can(request));
    kept.map(|(key, request)| (key.clone(), request.clone()))
        .collect()
}

/// The responses to all of these requests; `None` when one is missing or no object.
fn answered(
    requests: &Map<String, Value>,
    responses: Option<InputResponses>,
) -> Option<Map<String, Value>> {
    let responses = responses?;
    let of = |key: &String| {
        let response = responses.get(key).filter(|response| response.is_object())?;
        Some((key.clone(), response.clone()))
    };
    requests.keys().map(of).collect()
}
