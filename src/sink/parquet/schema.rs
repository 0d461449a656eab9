//! The columns of a recording, and what it says about itself.

use std::sync::Arc;

use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor};

use super::super::facts::facts;
use super::super::{About, Account};

/// Raised when a column changes its meaning or goes; a new one at the end does not raise it.
pub const VERSION: u32 = 1;

/// Key of the version: a file without it is not ours.
pub const SCHEMA_KEY: &str = "ior.schema";

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
    optional int64 flags (INTEGER(64, false));
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

/// What the footer says; the arguments are those of [`facts`].
pub fn footer(
    about: &About,
    before: Option<&Account>,
    account: &Account,
    cut: bool,
) -> Vec<KeyValue> {
    let version = (SCHEMA_KEY, VERSION.to_string());
    let facts = facts(about, before, account, cut);
    std::iter::once(version)
        .chain(facts)
        .map(|(key, value)| KeyValue::new(key.to_owned(), value))
        .collect()
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
