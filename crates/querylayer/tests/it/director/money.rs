//! Money: nothing is sent that the budget doesn't cover, and every micro-dollar is accounted for.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use insta::assert_snapshot;
use ql_app::director::{Answered, Ask, Asking, Failure, Provider};
use ql_core::access::{ActAsServer, Principal};
use ql_core::role::Role;
use ql_core::spending::Reservation;
use ql_core::time::minutes;
use ql_pipeline::money::Micros;
use ql_store::{spending, stage_task};
use querylayer::cmd::director::recorded::{self, Faults};

use super::world::{HANG, World, director_asking, told};

fn dollars(micros: i64) -> Micros {
    Micros::new(micros).expect("in range")
}

/// What the production's budget says, and what was set aside for each call.
async fn books(world: &World) -> String {
    let id = world.id;
    let store = world.app.app.store().clone();
    let (budget, reservations) = store
        .read(move |tx| {
            let budget = spending::find(tx, id)?.expect("a budget");
            Ok::<_, ql_store::StoreError>((budget, spending::of_production(tx, id)?))
        })
        .await
        .expect("read");
    let sum: i64 = reservations.iter().map(Reservation::committed).sum();
    assert_eq!(budget.committed, sum, "every micro-dollar is accounted for");
    let mut lines = vec![format!("{} of {}", budget.committed, budget.limit)];
    for held in reservations {
        lines.push(format!(
            "{} of {} {:?}",
            held.number, held.amount, held.state
        ));
    }
    lines.join("\n")
}

/// Goes to the first stage that costs something.
async fn to_research(world: &World) -> String {
    let view = world.begin().await;
    told(&view, "RESEARCH_COMPLETED")
}

#[tokio::test]
async fn what_a_call_cannot_cost_more_than_is_set_aside_and_what_it_did_cost_is_kept() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => answer,
        _ => Err(Failure::Permanent("not now".into())),
    })
    .await;
    to_research(&world).await;
    assert_snapshot!(books(&world).await, @"
    10000 of 6000000
    1 of 25000 Settled { charged: 10000 }
    1 of 25000 Released
    ");
}

#[tokio::test]
async fn a_call_that_the_budget_does_not_cover_is_not_made() {
    let world = World::new().await;
    let editor = world.app.member(Role::Editor).await;
    let limits = |limit, task| (dollars(limit), dollars(task));
    let set = world
        .director
        .set_budget(&editor, world.id, limits(6_000_000, 24_999));
    set.await.expect("set");
    assert_snapshot!(to_research(&world).await, @"
    RESEARCH_COMPLETED attempt 1 held: task_budget_exhausted -
    BUDGET_EXCEEDED : the call may cost up to 0.025 dollars, and 0.024999 of 0.024999 are left; raise the budget and open the stage again
    ");
    assert_eq!(world.asked(), "", "nobody was asked");
    let set = world
        .director
        .set_budget(&editor, world.id, limits(24_999, 600_000));
    set.await.expect("set");
    world.reopen("RESEARCH_COMPLETED").await.expect("reopened");
    let view = world.work().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @"
    RESEARCH_COMPLETED attempt 2 held: budget_exhausted -
    BUDGET_EXCEEDED : the call may cost up to 0.025 dollars, and 0.024999 of 0.024999 are left; raise the budget and open the stage again
    ");
    assert_eq!(world.asked(), "", "nobody was asked");
    let set = world
        .director
        .set_budget(&editor, world.id, limits(25_000, 600_000));
    set.await.expect("set");
    world.reopen("RESEARCH_COMPLETED").await.expect("reopened");
    world.work().await;
    assert_eq!(world.asked(), "RESEARCH_COMPLETED 2");
    let below = world
        .director
        .set_budget(&editor, world.id, limits(9_999, 1));
    assert_snapshot!(below.await.expect_err("refused"), @"the input doesn't fit in 1 place(s): /budget 0.01 dollars are committed already");
    assert_snapshot!(books(&world).await, @"
    10000 of 25000
    1 of 25000 Settled { charged: 10000 }
    ");
}

#[tokio::test]
async fn what_may_have_been_paid_stays_charged_and_is_tried_once_more() {
    let world = World::with(|ask, answer| match ask.key.split(':').nth(1) {
        Some("1") if ask.stage == "RESEARCH_COMPLETED" => {
            Err(Failure::Uncertain("time-out".into()))
        }
        _ => answer,
    })
    .await;
    to_research(&world).await;
    assert_snapshot!(books(&world).await, @"
    35000 of 6000000
    1 of 25000 Uncertain
    1 of 25000 Settled { charged: 10000 }
    ");
    world.app.advance(minutes(1));
    let view = world.work().await;
    assert!(
        told(&view, "RESEARCH_COMPLETED").starts_with("RESEARCH_COMPLETED attempt 1 held: blocked")
    );
    assert_snapshot!(books(&world).await.lines().take(3).collect::<Vec<_>>().join("\n"), @"
    45000 of 6000000
    1 of 25000 Uncertain
    1 of 25000 Settled { charged: 10000 }
    ");
}

#[tokio::test]
async fn after_two_uncertain_calls_a_person_decides() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => Err(Failure::Uncertain("time-out".into())),
        _ => answer,
    })
    .await;
    to_research(&world).await;
    world.app.advance(minutes(1));
    let view = world.work().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @"RESEARCH_COMPLETED attempt 1 held: provider_uncertain -");
    assert_eq!(world.asked().matches("\nRESEARCH").count() + 1, 2);
}

#[tokio::test]
async fn what_a_dead_worker_asked_for_is_charged_and_its_late_answer_does_not_count_twice() {
    let world = World::with(|ask, answer| match ask.key.split(':').nth(1) {
        Some("1") if ask.stage == "RESEARCH_COMPLETED" => Err(Failure::Permanent(HANG.into())),
        _ => answer,
    })
    .await;
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    world.worker_dies().await;
    assert_snapshot!(books(&world).await, @"
    25000 of 6000000
    1 of 25000 Held
    ");
    world.app.advance(minutes(16));
    world.work().await;
    assert_snapshot!(books(&world).await.lines().take(3).collect::<Vec<_>>().join("\n"), @"
    45000 of 6000000
    1 of 25000 Uncertain
    2 of 25000 Settled { charged: 10000 }
    ");
}

/// Knows no price.
struct Unpriced(ql_app::director::Recorded);

impl Provider for Unpriced {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        Err(Failure::Permanent(format!(
            "no price for the model of {}",
            ask.tier.as_str()
        )))
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        self.0.ask(ask)
    }
}

#[tokio::test]
async fn without_a_price_nothing_starts() {
    let world = World::new().await;
    let unpriced = Unpriced(recorded::answers(Faults::None));
    let director = director_asking(&world.app, Arc::new(unpriced));
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    director.run_due_stages().await.expect("work");
    assert_snapshot!(told(&world.view().await, "RESEARCH_COMPLETED"), @"
    RESEARCH_COMPLETED attempt 1 held: not_priced -
    COST_UNKNOWN : no price for the model of reasoning
    ");
    assert_snapshot!(books(&world).await, @"0 of 6000000");
}

/// Bills each call at its full price, and counts what it billed.
struct Billing {
    recorded: ql_app::director::Recorded,
    billed: Arc<AtomicI64>,
}

const PRICE: i64 = 20_000;

impl Provider for Billing {
    fn most(&self, _: &Ask<'_>) -> Result<i64, Failure> {
        Ok(PRICE)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move {
            let answered = self.recorded.ask(ask).await?;
            tokio::task::yield_now().await;
            self.billed.fetch_add(PRICE, Ordering::Relaxed);
            Ok(Answered {
                cost: Some(PRICE),
                ..answered
            })
        })
    }
}

/// Another call that sets money aside, for the production's first task.
fn reserving(world: &World, number: i64) -> impl Future<Output = bool> + Send + 'static {
    let (store, id, at) = (world.app.app.store().clone(), world.id, world.app.now());
    let place = world.app.home.site.place();
    async move {
        let taken = store.write(move |tx| {
            let server = Principal::System.authorize::<ActAsServer>(place);
            let first = stage_task::find_attempt(tx, id, "RESEARCH_COMPLETED", 1)?;
            let task = first.expect("a task").id;
            spending::reserve(
                tx,
                &server.expect("the server"),
                id,
                (task, number, PRICE),
                at,
            )
        });
        taken.await.expect("written")
    }
}

/// Sixty-four stages that race for a budget which covers ten of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn however_many_race_for_a_budget_it_is_never_overspent() {
    let world = World::new().await;
    let editor = world.app.member(Role::Editor).await;
    let billed = Arc::new(AtomicI64::new(0));
    let provider = Billing {
        recorded: recorded::answers(Faults::None),
        billed: Arc::clone(&billed),
    };
    let director = director_asking(&world.app, Arc::new(provider));
    let limits = (dollars(10 * PRICE + 1), dollars(64 * PRICE));
    let set = director.set_budget(&editor, world.id, limits);
    set.await.expect("set");
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    director.run_due_stages().await.expect("work");
    let before = billed.load(Ordering::Relaxed) / PRICE;
    let racing: Vec<_> = (100..164)
        .map(|number| tokio::spawn(reserving(&world, number)))
        .collect();
    let mut reserved = 0;
    for racer in racing {
        reserved += i64::from(racer.await.expect("no panic"));
    }
    assert_eq!(before + reserved, 10, "{before} were billed before");
    books(&world).await;
}
