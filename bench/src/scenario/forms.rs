//! Visitors' posts, screened and stored.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Bench, block_on};
use crate::agent::get;
use crate::load::Load;
use crate::report::{Row, grouped, milliseconds, rate};
use crate::server::Server;
use crate::wire::Wire;

const CONNECTIONS: usize = 64;
/// Tokens fetched beforehand, for each connection and second: more than a connection can use.
const TOKENS_PER_SECOND: u64 = 400;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (_scratch, server) = bench.fresh("forms")?;
    block_on(make_form(&server))?;
    let site = server.site()?.to_owned();
    let count = usize::try_from(TOKENS_PER_SECOND * bench.duration.as_secs().max(1) * 2)?;
    let tokens = block_on(tokens(&server, &site, CONNECTIONS * count))?;
    let address = server.address;
    let load = Load {
        address,
        connections: CONNECTIONS,
        duration: bench.duration,
        expect: (201, r#""decision":"accepted""#),
    };
    let measured = server.charge(|| {
        load.run(|number| {
            let own = &tokens[number * count..][..count];
            let mut own = Vec::from(own).into_iter();
            let site = site.clone();
            Box::new(move || post(address, &site, &own.next().unwrap_or_default()))
        })
    })?;
    let reached = measured.rate >= 5_000.0 && measured.errors == 0;
    let what = format!(
        "form posts with a token of their own, screened and stored, {CONNECTIONS} connections (p99 {}, {} refused)",
        milliseconds(measured.p99),
        grouped(f64::from(u32::try_from(measured.errors)?))
    );
    bench
        .rows
        .push(Row::goal(&what, rate(&measured), "≥ 5,000/s", reached));
    Ok(())
}

/// One whole post; every message is another.
fn post(address: std::net::SocketAddr, site: &str, token: &str) -> Vec<u8> {
    let body = json!({
        "email": "maren@elmsea.example",
        "message": format!("When do you open on Sundays? Asked under {token}."),
        "ql_token": token, "ql_website": "",
    });
    let body = body.to_string();
    let length = body.len();
    format!("POST /forms/{site}/bench HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// Signs the owner in and makes a form that one network may send as often as it likes.
async fn make_form(server: &Server) -> Result<()> {
    let mut wire = Wire::connect(server.address).await?;
    let link = server.info["sign_in_url"].as_str().context("no link")?;
    let path = link
        .splitn(4, '/')
        .nth(3)
        .context("a link without a path")?;
    let answer = wire
        .exchange(&get(server.address, &format!("/{path}"), ""))
        .await?;
    let cookie = answer.header("set-cookie").context("no session")?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let session = get(
        server.address,
        "/api/v1/session",
        &format!("Cookie: {cookie}\r\n"),
    );
    let answer = wire.exchange(&session).await?;
    let session: Value = serde_json::from_str(answer.body)?;
    let csrf = session["csrf_token"].as_str().context("no CSRF token")?;
    let form = json!({
        "key": "bench",
        "fields": [
            {"key": "email", "type": "email", "required": true},
            {"key": "message", "type": "long_text", "required": true},
        ],
        "rules": {"min_fill_seconds": 0, "posts_per_network": 0},
    })
    .to_string();
    let (address, site, length) = (server.address, server.site()?, form.len());
    let request = format!(
        "POST /api/v1/sites/{site}/forms HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nX-CSRF-Token: {csrf}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{form}"
    );
    let answer = wire.exchange(request.as_bytes()).await?;
    ensure!(answer.status == 201, "no form: {}", answer.body);
    Ok(())
}

async fn tokens(server: &Server, site: &str, count: usize) -> Result<Vec<String>> {
    let mut wire = Wire::connect(server.address).await?;
    let request = get(server.address, &format!("/forms/{site}/bench/token"), "");
    let mut tokens = Vec::with_capacity(count);
    for _ in 0..count {
        let answer = wire.exchange(&request).await?;
        let told: Value = serde_json::from_str(answer.body)?;
        tokens.push(told["token"].as_str().context("no token")?.to_owned());
    }
    Ok(tokens)
}
