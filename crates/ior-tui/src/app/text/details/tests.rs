use super::*;

#[test]
fn times_are_dates() {
    assert_eq!(clock(0), "1970-01-01 00:00:00.000000000 UTC");
    assert_eq!(
        clock(951_782_400_000_000_001),
        "2000-02-29 00:00:00.000000001 UTC"
    );
    assert_eq!(
        clock(1_790_000_000_123_456_789),
        "2026-09-21 14:13:20.123456789 UTC"
    );
    assert_eq!(
        clock(4_107_542_399_000_000_000),
        "2100-02-28 23:59:59.000000000 UTC"
    );
    assert_eq!(
        clock(4_107_542_400_000_000_000),
        "2100-03-01 00:00:00.000000000 UTC"
    );
}

#[test]
fn errors_are_explained() {
    assert_eq!(
        explanation(-2).as_deref(),
        Some("No such file or directory")
    );
    assert_eq!(explanation(5), None);
    assert_eq!(explanation(-524), None);
    assert_eq!(explanation(i64::MIN), None);
    assert!(explanation(-512).unwrap().contains("restarts"));
}
