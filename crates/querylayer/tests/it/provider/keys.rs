//! A key goes into one header of a request, and nowhere else.

use std::io::Write;
use std::sync::{Arc, Mutex};

use ql_pipeline::tier::Tier;
use tracing_subscriber::fmt::MakeWriter;

use super::server::{Reply, Server};
use super::words::{Dialect, cases, outcomes};
use super::world::{KEY, load, task, try_load};

/// A log that is kept.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Log {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

/// Whether a text has as much of the key in a row as would tell it.
fn tells(text: &str) -> bool {
    let windows = KEY.as_bytes().windows(8);
    let parts = windows.map(|part| std::str::from_utf8(part).expect("ASCII"));
    parts.into_iter().any(|part| text.contains(part))
}

#[tokio::test]
async fn no_answer_error_log_or_prompt_has_the_key() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    tracing::info!("the log is kept");
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        let (names, replies): (Vec<_>, Vec<_>) = cases(dialect).into_iter().unzip();
        let server = Server::start(replies).await;
        let world = load(&dialect.tiers(&server.url, 60));
        for (name, outcome) in outcomes(&world, &names).await {
            let shown = format!("{outcome:?}");
            assert!(!tells(&shown), "{name}: {shown}");
        }
        assert!(!tells(&format!("{:?}", world.providers)));
        let heard = server.heard();
        assert_eq!(heard.len(), names.len());
        for request in heard {
            // The control: the key is there, where it belongs.
            assert!(tells(&request.head), "{}", request.head);
            assert!(!tells(&request.body.to_string()));
        }
    }
    let log = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("text");
    assert!(log.contains("the log is kept"));
    assert!(!tells(&log), "{log}");
}

#[tokio::test]
async fn a_key_may_stand_in_a_file_and_a_wrong_place_isnt_repeated() {
    let server = Server::start(vec![Reply::HangsUp]).await;
    let tiers = |key: &str, url: &str| {
        format!("[writing]\nprovider = \"openai\"\nmodel = \"m\"\n{key}\nbase_url = \"{url}\"\n")
    };
    let world = load(&tiers("key_file = \"key\"", &server.url));
    let shorts = ql_pipeline::document::DocKind::Shorts;
    let failed = world.ask(Tier::Writing, &task(shorts, "The way")).await;
    assert!(failed.is_err());
    assert!(
        server.heard()[0]
            .head
            .contains(&format!("authorization: Bearer {KEY}"))
    );
    for url in [
        KEY.to_owned(),
        format!("https://{KEY}@example.org/v1"),
        format!("https://example.org/v1?key={KEY}"),
    ] {
        let refused = try_load(&tiers("", &url), &"".into())
            .err()
            .expect("refused");
        let shown = format!("{refused:?}");
        assert!(shown.contains("base_url") && !tells(&shown), "{shown}");
    }
}
