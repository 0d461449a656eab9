//! What a recording says about itself: the run, the kernel's exact counters, and what was lost.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ior_core::{Loss, Totals};
use serde_json::{Map, json};

use super::columns::push_time;
use super::{About, Account};

/// Key and value of each, about the run and what it had counted when this file ended. `before`: what it had counted when
/// the file before this one ended. `cut`: rows that were to be in the file are not.
pub fn facts(
    about: &About,
    before: Option<&Account>,
    account: &Account,
    cut: bool,
) -> [(&'static str, String); 10] {
    let began = before.map_or(account.started, |before| before.now);
    let before = before.map_or(Lost::NOTHING, Lost::of);
    let complete = !cut && account.loss.not_seen.is_some() && before == Lost::of(account);
    [
        ("ior.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("ior.hostname", about.hostname.clone()),
        ("ior.kernel", about.kernel.clone()),
        ("ior.command", about.command.clone()),
        ("ior.filter", about.filter.clone()),
        ("ior.started", time(began)),
        ("ior.ended", time(account.now)),
        ("ior.totals", totals(&account.totals)),
        ("ior.loss", loss(&account.loss, account.shed)),
        ("ior.complete", complete.to_string()),
    ]
}

/// Everything that makes a recording incomplete, as [`Loss::is_complete`] has it.
#[derive(PartialEq, Eq)]
struct Lost([u64; 5], Option<u64>);

impl Lost {
    const NOTHING: Lost = Lost([0; 5], Some(0));

    fn of(account: &Account) -> Lost {
        let loss = &account.loss;
        let counts = [
            loss.rows,
            account.shed,
            loss.unpaired,
            loss.partial_names,
            loss.undecodable,
        ];
        Lost(counts, loss.not_seen)
    }
}

fn totals(totals: &Totals) -> String {
    let by_name = totals.by_syscall.iter().map(|(syscall, counts)| {
        let counts = json!({
            "calls": counts.calls,
            "errors": counts.errors,
            "bytes": counts.bytes,
            "latency_ns": counts.latency_ns,
        });
        (syscall.name.to_owned(), counts)
    });
    serde_json::Value::Object(by_name.collect::<Map<_, _>>()).to_string()
}

/// `null` is unknown.
fn loss(loss: &Loss, shed: u64) -> String {
    let when = |ns: u64| (loss.rows > 0).then_some(ns);
    json!({
        "rows": loss.rows + shed,
        "first_ns": when(loss.first_ns),
        "last_ns": when(loss.last_ns),
        "not_seen": loss.not_seen,
        "unpaired": loss.unpaired,
        "partial_names": loss.partial_names,
    })
    .to_string()
}

/// RFC 3339, UTC.
fn time(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let mut text = Vec::new();
    push_time(
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
        &mut text,
    );
    text.iter().copied().map(char::from).collect()
}
