//! Settings of providers: everything wrong is said at once, and what is shipped is fit.

use std::ffi::OsString;
use std::path::Path;

use ql_app::director::Provider as _;
use ql_pipeline::document::DocKind;
use ql_pipeline::tier::Tier;
use ql_testkit::TempDir;
use querylayer::provider::{Surroundings, load_in};

use super::world::{KEY, PRICES, load, task, told, try_load};
use crate::process::{arg, json, refused, said};

#[test]
fn everything_wrong_is_said_with_its_line() {
    let tiers = r#"
[reasoning]
provider = "openia"

[writing]
provider = "openai"
model = "unheard-of"
key_env = "NO_SUCH_KEY"
timeout_seconds = 0

[vision]
provider = "anthropic"
key_env = "KEY"
key_file = "key"
voice = "alto"
base_url = "ftp://example.org"
max_output_tokens = "many"

[image]
provider = "anthropic"
model = "m"
base_url = "http://models.example.org/v1"
key_env = "KEY"

[tts]
provider = "local"
model = "m"
speed = 2

[none]
provider = "openai"
model = "m"

[drawing]
provider = "local"
"#;
    let refused = try_load(tiers, &OsString::new()).err().expect("not fit");
    insta::assert_snapshot!(refused.root_cause(), @r#"
    tiers.toml can't be used; 15 to mend
      tiers.toml, line 3: `openia` is no provider: openai, anthropic, local or none
      tiers.toml, line 7: no price by tokens for `unheard-of` of `openai`; add it to prices.toml, with 0 where it's known to cost nothing
      tiers.toml, line 8: the variable `NO_SUCH_KEY` isn't set
      tiers.toml, line 9: `timeout_seconds` is between 1 and 570
      tiers.toml, line 11: `model` is missing
      tiers.toml, line 14: a key has one source: `key_env` or `key_file`
      tiers.toml, line 15: `voice` has no effect for `anthropic` on `vision`
      tiers.toml, line 16: `base_url` is http or https with a host and a path alone; a key stands in `key_env` or `key_file`
      tiers.toml, line 17: `max_output_tokens`: invalid type: string "many", expected i64
      tiers.toml, line 20: `anthropic` can't serve the tier `image`
      tiers.toml, line 22: over http anybody on the way could read the key; use https
      tiers.toml, line 27: `model` has no effect for `local` on `tts`
      tiers.toml, line 28: there is no field `speed` here
      tiers.toml, line 31: what publishes calls no model, so its provider is `none`
      tiers.toml, line 34: there is no field `drawing` here
    "#);
}

#[test]
fn a_tier_without_a_price_keeps_the_server_from_starting() {
    for (tier, model, unit) in [
        (Tier::Writing, "draws", "tokens"),
        (Tier::Image, "speaks", "pictures or tokens"),
        (Tier::Tts, "m", "characters of speech"),
    ] {
        let tiers = format!(
            "[{}]\nprovider = \"openai\"\nmodel = \"{model}\"\n",
            tier.as_str()
        );
        let refused = try_load(&tiers, &OsString::new()).err().expect("not fit");
        let expected = format!("tiers.toml, line 3: no price by {unit} for `{model}` of `openai`");
        let shown = format!("{refused:#}");
        assert!(shown.contains(&expected), "{shown}");
    }
}

#[tokio::test]
async fn a_tier_that_nobody_serves_says_so() {
    let world = load("[writing]\nprovider = \"none\"\n");
    let task = task(DocKind::Shorts, "The way");
    for tier in [Tier::Writing, Tier::Reasoning] {
        let outcome = world.ask(tier, &task).await;
        let expected = format!("Permanent: no provider serves {}", tier.as_str());
        assert_eq!(told(&outcome, DocKind::Shorts), expected);
        assert!(world.most(tier, &task).is_err());
    }
}

#[test]
fn a_changed_setting_or_price_is_another_configuration() {
    let of = |tiers: &str| load(tiers).providers.configuration().expect("a digest");
    let (one, same) = (
        of("[image]\nprovider = \"local\"\n"),
        of("[image]\nprovider = \"local\"\n"),
    );
    assert_eq!(one, same);
    assert_ne!(one, of("[image]\nprovider = \"none\"\n"));
}

#[test]
fn the_samples_are_fit() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/providers");
    let surroundings = Surroundings {
        variable: &|_| Some(KEY.to_owned()),
        path: OsString::new(),
    };
    let (tiers, prices) = (samples.join("tiers.toml"), samples.join("prices.toml"));
    let providers = load_in(&surroundings, &tiers, &prices, Path::new("files")).expect("fit");
    insta::assert_snapshot!(format!("{providers:?}"), @r#"Providers { tiers: ["reasoning", "writing", "vision", "image", "tts", "none"], .. }"#);
}

#[test]
fn prices_are_imported_once_and_never_over_others() {
    let folder = TempDir::new();
    let at = |name: &str| folder.path().join(name);
    let list = r#"{"gpt-5": {"litellm_provider": "openai", "input_cost_per_token": 1.25e-06,
        "output_cost_per_token": 1e-05}, "by-pixel": {"litellm_provider": "openai",
        "input_cost_per_pixel": 1e-08}}"#;
    std::fs::write(at("list.json"), list).expect("written");
    let (list, out) = (at("list.json"), at("prices.toml"));
    let import = [
        "prices",
        "import",
        arg(&list),
        "--out",
        arg(&out),
        "--as-of",
        "2026-12-01",
    ];
    let shown = said(&import).replace(arg(folder.path()), "");
    insta::assert_snapshot!(shown, @"
    by-pixel: left out: it has no price by tokens, pictures or characters
    1 prices as of 2026-12-01 are in /prices.toml
    ");
    let prices = std::fs::read_to_string(&out).expect("written");
    insta::assert_snapshot!(prices, @r#"
    # Micro-dollars for a million tokens; `image` is for one picture, `speech` for a million
    # characters. Written by `querylayer prices import`; entries of your own may stand here too.
    as_of = "2026-12-01"
    source = "list.json of LiteLLM, SHA-256 07dcc4a4d2fb27e4337d9b98c674257cc00a54bc566245bd024baf7a3cbb5843"

    [[price]]
    provider = "openai"
    model = "gpt-5"
    input = 1250000
    cached = 1250000
    cache_write = 1250000
    output = 10000000
    "#);
    let (code, again) = refused(&import);
    assert_eq!(code, Some(1));
    assert!(again.contains("can't be made anew"), "{again}");
    let other = at("other.toml");
    let some = [
        "prices",
        "import",
        arg(&list),
        "--out",
        arg(&other),
        "--json",
        "--model",
        "gpt-?",
    ];
    assert_eq!(json(&some)["prices"], 1);
    let (_, none) = refused(&[
        "prices",
        "import",
        arg(&list),
        "--out",
        "x",
        "--model",
        "claude*",
    ]);
    assert!(none.contains("has no price that was asked for"), "{none}");
    std::fs::write(&list, PRICES).expect("written");
    let (_, other) = refused(&["prices", "import", arg(&list), "--out", "x"]);
    assert!(other.contains("isn't LiteLLM's list of prices"), "{other}");
}
