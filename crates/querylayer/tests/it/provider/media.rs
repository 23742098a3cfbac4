//! Pictures and speech: by models, and by this machine alone.

use std::ffi::OsString;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ql_app::director::Answered;
use ql_core::hash::Digest;
use ql_pipeline::document::DocKind;
use ql_pipeline::tier::Tier;
use serde_json::{Value, json};

use super::server::{Reply, Server};
use super::world::{World, fakes, load, task, told, try_load};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand so on";

/// So many seconds of silence, 8-bit at 8 kHz, as WAV.
pub(crate) fn silence(seconds: usize) -> Vec<u8> {
    let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0".to_vec();
    bytes.extend_from_slice(&[1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]);
    bytes.extend_from_slice(b"data\xff\xff\xff\xff");
    bytes.extend(std::iter::repeat_n(128, seconds * 8000));
    bytes
}

/// What a document says, with its file checked against what is kept.
fn shown(world: &World, answer: &Answered) -> String {
    let result: Value = serde_json::from_str(&answer.text).expect("JSON");
    let [file] = &answer.files[..] else {
        panic!("one file")
    };
    let kept = world.file(&file.sha256);
    assert_eq!(Digest::of(&kept), file.sha256);
    assert_eq!(kept.len() as u64, file.bytes);
    let mut output = result["output"].clone();
    let artifact = output["artifact"].take();
    assert_eq!(artifact["sha256"], file.sha256.to_string());
    assert_eq!(artifact["bytes"], file.bytes);
    let (status, cost) = (&result["status"], &result["cost_usd"]);
    format!(
        "{} {}\n{status} for {cost} dollars\n{output:#}",
        file.name, file.media_type
    )
}

fn image(model: &str, url: &str) -> String {
    format!(
        "[image]\nprovider = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{url}\"\n\
         max_output_tokens = 5000\n"
    )
}

#[tokio::test]
async fn a_model_draws_and_the_picture_is_kept_under_its_hash() {
    let data = json!([{"b64_json": STANDARD.encode(PNG)}]);
    let usage = json!({"input_tokens": 100, "output_tokens": 4000});
    let replies = vec![
        Reply::ok(&json!({"data": data})),
        Reply::ok(&json!({"data": data, "usage": usage})),
        Reply::ok(&json!({"data": data})),
    ];
    let server = Server::start(replies).await;
    let task = task(DocKind::Thumbnail, "The way");
    let by_picture = load(&image("draws", &server.url));
    let answer = by_picture.ask(Tier::Image, &task).await;
    assert_eq!(
        told(&answer, DocKind::Thumbnail),
        "Answered, cost 40000, fits"
    );
    insta::assert_snapshot!(shown(&by_picture, &answer.expect("an answer")), @r#"
    thumbnail.png image/png
    "THEOLOGY_VERIFIED" for 0.04 dollars
    {
      "alt": "Picture for “The way”",
      "artifact": null,
      "picture": "A still picture by which people choose a video called “The way”. What the video does: Explain John 14:6 in ten minutes. Its first words: Thomas asks for a road. Show one clear scene. No letters, no words, no logos.",
      "words": null
    }
    "#);
    let by_tokens = load(&image("draws-by-tokens", &server.url));
    let answer = by_tokens.ask(Tier::Image, &task).await;
    assert_eq!(
        told(&answer, DocKind::Thumbnail),
        "Answered, cost 160500, fits"
    );
    let unknown = by_tokens.ask(Tier::Image, &task).await;
    assert_eq!(
        told(&unknown, DocKind::Thumbnail),
        "Answered, cost unknown, fits"
    );
    let most = |world: &World| world.most(Tier::Image, &task).expect("a price");
    assert_eq!(most(&by_picture), 40_000);
    assert!(most(&by_tokens) > 160_500);
    insta::assert_snapshot!(server.heard()[0].body, @r#"{"model":"draws","n":1,"prompt":"A still picture by which people choose a video called “The way”. What the video does: Explain John 14:6 in ten minutes. Its first words: Thomas asks for a road. Show one clear scene. No letters, no words, no logos.","response_format":"b64_json","size":"1536x1024"}"#);
}

#[tokio::test]
async fn what_was_paid_for_and_is_no_picture_is_uncertain() {
    let no_picture = STANDARD.encode("<html>");
    let replies = vec![
        Reply::ok(&json!({"data": [{"b64_json": no_picture}]})),
        Reply::ok(&json!({"data": [{"url": "http://127.0.0.1/picture.png"}]})),
        Reply::ok(&json!({"data": [{"b64_json": "%%"}]})),
        Reply::Breaks(b"{".to_vec()),
        Reply::says(529, &json!({})),
    ];
    let server = Server::start(replies).await;
    let world = load(&image("draws", &server.url));
    let mut lines = Vec::new();
    for _ in 0..5 {
        let outcome = world
            .ask(Tier::Image, &task(DocKind::Thumbnail, "The way"))
            .await;
        lines.push(told(&outcome, DocKind::Thumbnail));
    }
    let other = world
        .ask(Tier::Image, &task(DocKind::Shorts, "The way"))
        .await;
    lines.push(told(&other, DocKind::Shorts));
    insta::assert_snapshot!(lines.join("\n"), @"
    Uncertain: 127.0.0.1: the answer has no picture
    Uncertain: 127.0.0.1: the answer has no picture
    Uncertain: 127.0.0.1: the answer has no picture
    Uncertain: 127.0.0.1: the answer broke off
    Transient: 127.0.0.1: 529
    Permanent: this tier makes a thumbnail, and the stage asks for a shorts; give its role another tier
    ");
}

fn tts(url: &str) -> String {
    format!(
        "[tts]\nprovider = \"openai\"\nmodel = \"speaks\"\nvoice = \"alto\"\nbase_url = \"{url}\"\n"
    )
}

#[tokio::test]
async fn a_model_speaks_piece_by_piece_and_costs_by_the_character() {
    let replies = [1, 2, 3].map(|seconds| Reply::Says(200, Vec::new(), silence(seconds)));
    let server = Server::start(replies.into()).await;
    let world = load(&tts(&server.url));
    let task = task(DocKind::VoiceTrack, "The way");
    let most = world.most(Tier::Tts, &task);
    let answer = world.ask(Tier::Tts, &task).await.expect("an answer");
    assert_eq!(answer.cost, most.ok());
    insta::assert_snapshot!(shown(&world, &answer), @r#"
    voice.wav audio/wav
    "THEOLOGY_VERIFIED" for 0.00099 dollars
    {
      "artifact": null,
      "segments": [
        {
          "seconds": 1,
          "text": "Thomas asks for a road."
        },
        {
          "seconds": 2,
          "text": "He is given a person instead."
        },
        {
          "seconds": 3,
          "text": "Walk with him."
        }
      ],
      "voice": "alto"
    }
    "#);
    let heard = server.heard();
    insta::assert_snapshot!(heard[1].body, @r#"{"input":"He is given a person instead.","model":"speaks","response_format":"wav","voice":"alto"}"#);
    let keys = heard
        .iter()
        .filter_map(|of| of.head.lines().find(|line| line.starts_with("idempotency")));
    insta::assert_snapshot!(keys.collect::<Vec<_>>().join("\n"), @"
    idempotency-key: task:1:0
    idempotency-key: task:1:1
    idempotency-key: task:1:2
    ");
}

#[tokio::test]
async fn a_refusal_is_free_before_the_first_piece_and_uncertain_after_it() {
    let spoken = || Reply::Says(200, Vec::new(), silence(1));
    let busy = || Reply::says(429, &json!({})).with("retry-after", "2");
    let replies = vec![
        busy(),
        spoken(),
        busy(),
        spoken(),
        Reply::says(400, &json!({})),
        Reply::Says(200, Vec::new(), b"ID3".to_vec()),
    ];
    let server = Server::start(replies).await;
    let world = load(&tts(&server.url));
    let mut lines = Vec::new();
    for _ in 0..4 {
        let outcome = world
            .ask(Tier::Tts, &task(DocKind::VoiceTrack, "The way"))
            .await;
        lines.push(told(&outcome, DocKind::VoiceTrack));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    Transient, retry after 2s: 127.0.0.1: 429
    Uncertain: piece 2 of 3: 127.0.0.1: 429
    Uncertain: piece 2 of 3: 127.0.0.1: 400
    Uncertain: 127.0.0.1: the answer isn't WAV
    ");
}

const DRAWN_HERE: &str = "[image]\nprovider = \"local\"\n";

#[tokio::test]
async fn this_machine_draws_the_title_and_always_the_same_picture() {
    let world = load(DRAWN_HERE);
    let task = task(
        DocKind::Thumbnail,
        "Why did Jesus say “I am the way”? Ὁδός, путь",
    );
    assert_eq!(world.most(Tier::Image, &task), Ok(0));
    let answer = world.ask(Tier::Image, &task).await;
    assert_eq!(told(&answer, DocKind::Thumbnail), "Answered, cost 0, fits");
    let answer = answer.expect("an answer");
    insta::assert_snapshot!(shown(&world, &answer), @r#"
    thumbnail.png image/png
    "THEOLOGY_VERIFIED" for 0 dollars
    {
      "alt": "Why did Jesus say “I am the way”? Ὁδός, путь",
      "artifact": null,
      "picture": "The title in white on a dark ground, with a light line.",
      "words": "Why did Jesus say “I am the way”? Ὁδός, путь"
    }
    "#);
    let png = world.file(&answer.files[0].sha256);
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(png[16..24], [0, 0, 5, 0, 0, 0, 2, 208], "1280 by 720");
    let again = world.ask(Tier::Image, &task).await.expect("an answer");
    assert_eq!(again.files, answer.files);
}

#[tokio::test]
async fn titles_that_would_come_out_wrong_arent_drawn() {
    let world = load(DRAWN_HERE);
    let mut lines = Vec::new();
    for title in [
        "דרך",
        "e\u{301}tude",
        "word ".repeat(58).trim(),
        &"x".repeat(300),
        "道",
        "The way",
    ] {
        let outcome = world
            .ask(Tier::Image, &task(DocKind::Thumbnail, title))
            .await;
        lines.push(told(&outcome, DocKind::Thumbnail));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    Permanent: `דרך` can't be drawn by the thumbnail template; give the tier a `font` that has these letters, or a model that draws where their script joins letters or runs to the left
    Permanent: `́` can't be drawn by the thumbnail template; give the tier a `font` that has these letters, or a model that draws where their script joins letters or runs to the left
    Answered, cost 0, fits
    Permanent: the title is too long for a picture
    Permanent: `道` can't be drawn by the thumbnail template; give the tier a `font` that has these letters, or a model that draws where their script joins letters or runs to the left
    Answered, cost 0, fits
    ");
}

async fn spoken_here(voice: &str, programs: &OsString) -> String {
    let tiers = format!("[tts]\nprovider = \"local\"\nvoice = \"{voice}\"\n");
    let world = try_load(&tiers, programs).expect("fit settings");
    let outcome = world
        .ask(Tier::Tts, &task(DocKind::VoiceTrack, "The way"))
        .await;
    let line = told(&outcome, DocKind::VoiceTrack);
    match outcome {
        Ok(answer) => format!("{line}\n{}", shown(&world, &answer)),
        Err(_) => line,
    }
}

#[tokio::test]
async fn a_program_of_this_machine_speaks_or_its_absence_is_said_with_the_remedy() {
    insta::assert_snapshot!(spoken_here("fr", &fakes()).await, @r#"
    Answered, cost 0, fits
    voice.wav audio/wav
    "THEOLOGY_VERIFIED" for 0 dollars
    {
      "artifact": null,
      "segments": [
        {
          "seconds": 5,
          "text": "Thomas asks for a road."
        },
        {
          "seconds": 6,
          "text": "He is given a person instead."
        },
        {
          "seconds": 3,
          "text": "Walk with him."
        }
      ],
      "voice": "fr"
    }
    "#);
    let lines = [
        spoken_here("de", &fakes()).await,
        spoken_here("voice.onnx", &fakes()).await,
        spoken_here("fr", &OsString::from("/nowhere")).await,
        spoken_here("voice.onnx", &OsString::from("/nowhere")).await,
    ];
    insta::assert_snapshot!(lines.join("\n"), @"
    Permanent: espeak-ng failed: exit status: 3
    Permanent: piper failed: exit status: 7
    Permanent: espeak-ng isn't installed on the server; install espeak-ng, or Piper with a `voice` that is the path of its .onnx model
    Permanent: piper isn't installed on the server; install Piper, or name a voice of espeak-ng
    ");
}

/// Where espeak-ng is installed, the program itself is spoken to as its stand-in is.
#[tokio::test]
async fn the_real_program_speaks_where_there_is_one() {
    let programs = OsString::from("/usr/bin");
    let told = spoken_here("en", &programs).await;
    let expected = if Path::new("/usr/bin/espeak-ng").is_file() {
        "Answered, cost 0, fits\nvoice.wav audio/wav"
    } else {
        "Permanent: espeak-ng isn't installed on the server"
    };
    assert!(told.starts_with(expected), "{told}");
}
