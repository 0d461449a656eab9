//! Scratch driver.
use std::time::{Duration, Instant};
fn main() {
    let secs: u64 = std::env::args().nth(2).and_then(|s| s.parse().ok()).unwrap_or(2);
    let pid: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let quiet = std::env::args().nth(3).is_some();
    let t = Instant::now();
    if std::env::var_os("V").is_some() { libbpf_rs::set_print(Some((libbpf_rs::PrintLevel::Debug, |_, m| eprint!("{m}")))); }
    let mut tr = ior_bpf::Tracer::attach(&ior_bpf::Options {
        scope: ior_bpf::Scope { pids: vec![pid], follow: std::env::var_os("F").is_some(), ..Default::default() },
        syscalls: ior_core::syscall::SYSCALLS.iter().filter(|s| s.default).collect(),
        buffer_size: None, hook: std::env::var_os("RAW").map(|_| ior_bpf::Hook::RawSyscalls), pairing: std::env::var_os("HASH").map(|_| ior_bpf::Pairing::Hash), rows: std::env::var_os("TOT").is_none(),
    }).unwrap_or_else(|e| { eprintln!("error: {e}"); std::process::exit(1) });
    eprintln!("attached in {:?}", t.elapsed());
    let end = Instant::now() + Duration::from_secs(secs);
    let mut n = 0u64;
    let mut row = |r: &ior_core::Row<'_>| { n += 1; if !quiet { println!("{} {} {}/{} {}({}) = {} {}B {:?} {} <- {:?} req={:?} off={:?} fl={:?} lat={} gap={}", r.seq, String::from_utf8_lossy(&r.task.comm), r.task.pid, r.task.tid, r.syscall.name, r.fd, r.ret, r.bytes, r.name_source, String::from_utf8_lossy(r.file), r.old_file.map(String::from_utf8_lossy), r.requested, r.offset, r.flags, r.latency_ns, r.gap_ns); } };
    while Instant::now() < end { tr.poll(Duration::from_millis(10), &mut row).unwrap(); }
    let inf = tr.in_flight();
    tr.detach();
    while tr.poll(Duration::ZERO, &mut row).unwrap() > 0 {}
    eprintln!("rows {n} calls {} loss {:?} evicted {}", tr.totals().sum().calls, tr.loss(), tr.evicted_files());
    eprintln!("in flight {inf:?}");
}
