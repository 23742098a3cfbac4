//! Productions on a running server: under which policy, by whom, and the work on their stages.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use ql_app::App;
use ql_app::director::{Director, Nobody, Provider};
use ql_pipeline::audit::Ground;
use ql_pipeline::pack::Pack;
use ql_scripture::corpus::folder;
use ql_scripture::corpus::library::Library;
use tokio::sync::watch;

use super::ROUND;
use crate::cmd::director::story::shipped_pack;
use crate::config::ServerArgs;
use crate::outbox::Outbox;

/// How many stages are worked on at once. They wait for models, hardly ever for the processor.
pub(super) const WORKERS: usize = 8;

/// The policy that comes with the program, by its name.
const SHIPPED: &str = "biblical-teaching";

/// The director of a server with these settings; none where they name no policy.
///
/// # Errors
/// The policy isn't fit for use, or an edition is damaged.
pub(super) fn director(app: &App, args: &ServerArgs) -> Result<Option<Director>> {
    let Some(policy) = &args.policy else {
        return Ok(None);
    };
    let pack = policy_pack(policy)?;
    let corpora = args.corpora_dir();
    let library = editions(&corpora)?;
    let ground = Ground::new(Arc::new(pack), Arc::new(library))
        .with_context(|| format!("the policy {} can't be used", policy.display()))?;
    let provider: Arc<dyn Provider> = match (&args.tiers, &args.prices) {
        (Some(tiers), Some(prices)) => {
            Arc::new(crate::provider::load(tiers, prices, &args.files_dir())?)
        }
        (Some(_), None) => bail!("--tiers needs --prices: nothing is asked whose price is unknown"),
        (None, _) => Arc::new(Nobody),
    };
    let outbox = Outbox::new(args.outbox_dir(), &args.files_dir());
    let director = Director::new(app.clone(), Arc::new(ground), provider);
    Ok(Some(director.sending_to(Arc::new(outbox))))
}

fn policy_pack(policy: &Path) -> Result<Pack> {
    if policy == Path::new(SHIPPED) && !policy.exists() {
        return shipped_pack();
    }
    ql_pipeline::pack::folder::open(policy)?.map_err(|unfit| {
        anyhow!(
            "the policy {} isn't fit for use:\n{unfit}",
            policy.display()
        )
    })
}

/// Every edition of a folder, which need not exist.
fn editions(corpora: &Path) -> Result<Library> {
    let found = if corpora.is_dir() {
        folder::list(corpora)?
    } else {
        Vec::new()
    };
    if found.is_empty() {
        tracing::warn!(
            folder = %corpora.display(),
            "there is no edition of Scripture, so no quotation can be verified; import one with `querylayer corpus import`"
        );
    }
    let corpora: Result<Vec<_>> = found
        .iter()
        .map(|path| Ok(Arc::new(folder::open(path)?)))
        .collect();
    Ok(Library::new(corpora?))
}

/// Takes one stage after the other a step further until the server stops; a step that hasn't ended by
/// then is another worker's, or the next start's, once its lease has run out.
pub(super) async fn run(director: Director, mut stopping: watch::Receiver<bool>) {
    while !*stopping.borrow_and_update() {
        let worked = tokio::select! {
            _ = stopping.changed() => break,
            worked = director.run_due_stage() => worked,
        };
        match worked {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::error!(?error, "no stage could be claimed"),
        }
        tokio::select! {
            _ = stopping.changed() => {}
            () = tokio::time::sleep(ROUND) => {}
        }
    }
}
