//! A strategy of a million rows, on both engines: how long it takes to come in, and what memory it
//! takes.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{Bench, block_on};
use crate::report::{Row, grouped, megabytes};
use crate::server::{Environment, Scratch, Server};
use crate::sql::cluster::Cluster;
use crate::wire::Wire;

/// Rows that travel together.
const PIECE: u64 = 1_000;
const ALLOWED: Duration = Duration::from_mins(1);
const MEMORY: u64 = 150_000_000;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    measure(bench, "SQLite", &[])?;
    let cluster = block_on(Cluster::start())?;
    let database = block_on(cluster.database("import"))?;
    measure(bench, "PostgreSQL", &database.environment(true))
}

fn measure(bench: &mut Bench, engine: &str, environment: &Environment) -> Result<()> {
    let scratch = Scratch::new(&format!("import-{}", engine.to_lowercase()))?;
    let server = Server::start(&bench.binary, &scratch.data(), environment)?;
    let begun = Instant::now();
    let rows = bench.imported / PIECE * PIECE;
    let answer = block_on(import(&server, rows))?;
    let took = begun.elapsed();
    let kept = answer["rows_kept"].as_u64();
    ensure!(kept == Some(rows), "not every row was kept: {answer}");
    let peak = server.memory()?.1;
    let what = format!(
        "import of {} rows of CSV, {engine}",
        grouped(f64::from(u32::try_from(rows)?))
    );
    let seconds = format!("{:.1} s", took.as_secs_f64());
    bench
        .rows
        .push(Row::goal(&what, seconds, "≤ 60 s", took <= ALLOWED));
    let what = format!("the server's peak memory in that, {engine}");
    let reached = peak <= MEMORY;
    bench
        .rows
        .push(Row::goal(&what, megabytes(peak), "≤ 150 MB", reached));
    Ok(())
}

/// Signs in as the owner and sends the artifact piece by piece, as no file of it exists.
async fn import(server: &Server, count: u64) -> Result<Value> {
    let mut wire = Wire::connect(server.address).await?;
    let host = server.address;
    let link = server.info["sign_in_url"]
        .as_str()
        .context("no sign-in link")?;
    let path = link
        .find("/sign-in/")
        .map(|at| &link[at..])
        .context("another link")?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    let landed = wire.exchange(request.as_bytes()).await?;
    let cookie = landed.header("set-cookie").context("no session")?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let request =
        format!("GET /api/v1/session HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n");
    let session: Value = serde_json::from_str(wire.exchange(request.as_bytes()).await?.body)?;
    let csrf = session["csrf_token"].as_str().context("no token")?;
    let head = format!(
        "POST /api/v1/sites/{}/strategy-imports?source=bench&tool=bench&exported_at=2026-01-01T00:00:00Z HTTP/1.1\r\n\
        host: {host}\r\ncookie: {cookie}\r\nx-csrf-token: {csrf}\r\ncontent-type: text/csv\r\n\
        transfer-encoding: chunked\r\n\r\n",
        server.site()?
    );
    wire.send(head.as_bytes()).await?;
    wire.send(&chunk("query,title,cluster,intent,url,volume,difficulty\n"))
        .await?;
    for piece in 0..count / PIECE {
        wire.send(&chunk(&rows(piece * PIECE))).await?;
    }
    wire.send(b"0\r\n\r\n").await?;
    let answer = wire.answer().await?;
    ensure!(answer.status == 201, "{} {}", answer.status, answer.body);
    Ok(serde_json::from_str(answer.body)?)
}

/// Some rows, like those that planning tools export.
fn rows(first: u64) -> String {
    let mut text = String::with_capacity(128 << 10);
    for row in first..first + PIECE {
        // Writing to a text can't fail.
        let _ = writeln!(
            text,
            "how to grow plant {row} in a cold garden,Growing plant {row},Cluster {},informational,https://site.example/plants/{row},{},{}",
            row % 700,
            row % 9_000,
            row % 100
        );
    }
    text
}

fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}
