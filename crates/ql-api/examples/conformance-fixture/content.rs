//! Everything that the suite expects word for word.

use serde_json::{Value, json};

/// A red pixel, as PNG in Base64.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// No sound at all, as WAV in Base64.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } })
}

/// The content of a tool that always answers the same, and whether it's an error.
pub(crate) fn of_tool(name: &str) -> Option<(Value, bool)> {
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image(),
            resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            ),
        ]),
        "test_error_handling" => {
            let error = "This tool intentionally returns an error for testing";
            return Some((json!([text(error)]), true));
        }
        "test_logging_tool" | "test_header" => json!([text("Done.")]),
        _ => return None,
    };
    Some((content, false))
}

/// The prompts.
pub(crate) fn prompts() -> Value {
    let argument = |name: &str| json!({ "name": name, "description": "Any.", "required": true });
    json!([
        { "name": "test_simple_prompt", "description": "Says one thing." },
        {
            "name": "test_prompt_with_arguments",
            "description": "Says what it's given.",
            "arguments": [argument("arg1"), argument("arg2")]
        },
        {
            "name": "test_prompt_with_embedded_resource",
            "description": "Brings a resource.",
            "arguments": [argument("resourceUri")]
        },
        { "name": "test_prompt_with_image", "description": "Brings an image." },
        { "name": "test_input_required_result_prompt", "description": "Asks for its context." }
    ])
}

/// The messages of a prompt.
pub(crate) fn of_prompt(name: &str, argument: impl Fn(&str) -> String) -> Option<Value> {
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            let words = format!("Prompt with arguments: arg1='{first}', arg2='{second}'");
            vec![text(&words)]
        }
        "test_prompt_with_embedded_resource" => vec![
            resource(
                &argument("resourceUri"),
                "text/plain",
                "Embedded resource content for testing.",
            ),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        _ => return None,
    };
    let message = |content| json!({ "role": "user", "content": content });
    Some(contents.into_iter().map(message).collect())
}

/// The resources.
pub(crate) fn resources() -> Value {
    let resource = |uri: &str, mime_type: &str| json!({ "uri": uri, "name": uri, "description": "Always the same.", "mimeType": mime_type });
    json!([
        resource("test://static-text", "text/plain"),
        resource("test://static-binary", "image/png"),
        resource("test://watched-resource", "text/plain"),
        resource("test://example-resource", "text/plain"),
    ])
}

/// The templates of resources.
pub(crate) fn resource_templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Data by identifier.",
        "mimeType": "application/json"
    }])
}

/// The contents of a resource.
pub(crate) fn of_resource(uri: &str) -> Option<Value> {
    let text =
        |mime_type: &str, text: &str| json!([{ "uri": uri, "mimeType": mime_type, "text": text }]);
    Some(match uri {
        "test://static-text" => text(
            "text/plain",
            "This is the content of the static text resource.",
        ),
        "test://static-binary" => json!([{ "uri": uri, "mimeType": "image/png", "blob": PIXEL }]),
        "test://watched-resource" | "test://example-resource" => text("text/plain", "Words."),
        _ => {
            let id = uri
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            text("application/json", &data.to_string())
        }
    })
}
