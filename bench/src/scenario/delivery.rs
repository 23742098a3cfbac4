//! Published pages as a site's build reads them.

use anyhow::{Context, Result, ensure};

use super::{Bench, block_on, repeat_load};
use crate::agent::get;
use crate::load::Load;
use crate::report::{Row, rate};
use crate::wire::Wire;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (_scratch, server) = bench.fresh("delivery")?;
    let path = format!("/delivery/v1/sites/{}/items/home", server.site()?);
    let etag = block_on(async {
        let mut wire = Wire::connect(server.address).await?;
        let answer = wire.exchange(&get(server.address, &path, "")).await?;
        ensure!(
            answer.status == 200,
            "{path}: {} {}",
            answer.status,
            answer.body
        );
        let etag = answer.header("etag").context("an item without an ETag")?;
        Ok(etag.to_owned())
    })?;
    let load = |status, part| Load {
        address: server.address,
        connections: 8,
        duration: bench.duration,
        expect: (status, part),
    };

    let measured =
        server.charge(|| repeat_load(load(200, "\"fields\""), &get(server.address, &path, "")))?;
    let what = "delivery, item by slug, 200, 8 connections";
    let whole = Row::reference(what, rate(&measured));

    let same = get(server.address, &path, &format!("If-None-Match: {etag}\r\n"));
    let measured = server.charge(|| repeat_load(load(304, ""), &same))?;
    let what = "delivery, item by slug with its `ETag`, 304, 8 connections";
    let reached = measured.rate >= 50_000.0 && measured.errors == 0;
    let unchanged = Row::goal(what, rate(&measured), "≥ 50,000/s", reached);
    bench.rows.extend([whole, unchanged]);
    Ok(())
}
