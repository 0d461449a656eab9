//! The columns of a recording, and what it says about itself.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ior_core::{Loss, Totals};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor};
use serde_json::{Map, json};

use super::super::columns::push_time;
use super::super::{About, Account};

/// Raised when a column changes its meaning or goes; a new one at the end does not raise it.
const VERSION: u32 = 1;

/// New columns are only ever appended; the first fourteen are never null.
const COLUMNS: &str = "message ior {
    required int64 seq (INTEGER(64, false));
    required int64 time_ns (INTEGER(64, false));
    required int64 gap_ns (INTEGER(64, false));
    required int64 latency_ns (INTEGER(64, false));
    required binary comm (STRING);
    required int32 pid (INTEGER(32, false));
    required int32 tid (INTEGER(32, false));
    required binary syscall (STRING);
    required int32 fd;
    required int64 ret;
    required int64 bytes (INTEGER(64, false));
    required binary file (STRING);
    required boolean is_error;
    required int64 filter_epoch (INTEGER(64, false));
    required int64 time (TIMESTAMP(NANOS, true));
    required binary family (STRING);
    optional binary old_file (STRING);
    required binary name_source (STRING);
    required binary process (STRING);
    required int32 ppid (INTEGER(32, false));
    required int32 uid (INTEGER(32, false));
    required binary cgroup (STRING);
    optional binary dev (STRING);
    optional int64 ino (INTEGER(64, false));
    optional int64 requested (INTEGER(64, false));
    optional int64 offset;
    optional int32 flags (INTEGER(32, false));
    required binary abi (STRING);
    optional int64 requested_sleep_ns (INTEGER(64, false));
    optional int64 nfds (INTEGER(64, false));
    optional int64 timeout_ns;
    optional int64 address_space_bytes (INTEGER(64, false));
    optional int32 epoll_op (INTEGER(32, false));
    optional int32 epoll_target_fd;
    optional int32 epoll_events (INTEGER(32, false));
}";

/// The columns.
pub fn columns() -> Result<SchemaDescPtr> {
    let message = Arc::new(parse_message_type(COLUMNS)?);
    Ok(Arc::new(SchemaDescriptor::new(message)))
}

/// What the footer says: about the run, and what it had counted when this file ended. `before`: what it had counted when
/// the file before this one ended. `cut`: rows that were to be in the file are not.
pub fn footer(
    about: &About,
    before: Option<&Account>,
    account: &Account,
    cut: bool,
) -> Vec<KeyValue> {
    let began = before.map_or(account.started, |before| before.now);
    let before = before.map_or(Lost::NOTHING, Lost::of);
    let complete = !cut && account.loss.not_seen.is_some() && before == Lost::of(account);
    [
        ("ior.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("ior.schema", VERSION.to_string()),
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
    .map(|(key, value)| KeyValue::new(key.to_owned(), value))
    .into()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_other_outputs() {
        let columns = columns().unwrap();
        let names: Vec<_> = columns
            .columns()
            .iter()
            .map(|column| column.name())
            .collect();
        let others = crate::sink::columns::NAMES;
        assert_eq!(others[..names.len()], names);
        assert_eq!(others[names.len()..], ["errno", "flag_names"]);
    }
}
