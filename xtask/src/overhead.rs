//! `overhead`: what a call costs untraced, under `ior` in several modes, and under other tools, measured side by side.

mod report;
mod tracer;
mod workload;

use anyhow::{Context, Result, bail};

use self::report::Line;
use self::tracer::{Counts, Tracer};
use self::workload::Workload;
use crate::{process, setup};

/// Rounds when `--rounds` says nothing, and the fewest that make a median worth printing.
const ROUNDS: usize = 7;

/// Loop passes (two calls each) of a run of about half a second.
const PAIRS: u64 = 1_000_000;

/// What is measured, one way of running the loop.
struct Variant {
    name: &'static str,
    pairs: u64,
    tracer: Tracer,
}

/// One run of the loop.
struct Sample {
    ns_per_call: f64,
    counts: Counts,
}

/// Runs `overhead [--rounds N] [--json]`.
pub fn run(args: &[String]) -> Result<()> {
    let (rounds, json) = parse(args)?;
    if !process::is_root() {
        bail!("tracing needs root: run `cargo xtask overhead` as root");
    }
    setup::ensure()?;
    let ior = process::build_ior()?;
    let workload = Workload::build()?;
    let variants = variants();
    let mut samples: Vec<Vec<Sample>> = variants.iter().map(|_| Vec::new()).collect();
    let mut failures: Vec<Option<String>> = variants.iter().map(|_| None).collect();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        for (at, variant) in variants.iter().enumerate() {
            if failures[at].is_none() {
                match measure(variant, &ior, &workload) {
                    Ok(sample) => samples[at].push(sample),
                    Err(error) => failures[at] = Some(format!("{error:#}")),
                }
            }
        }
    }
    let lines = lines(&variants, &samples, failures);
    match json {
        true => println!("{}", report::json(&lines)),
        false => print!("{}", report::table(&lines, rounds)),
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<(usize, bool)> {
    let (mut rounds, mut json) = (ROUNDS, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => json = true,
            "--rounds" => {
                let value = args.next().context("--rounds needs a number")?;
                rounds = value
                    .parse()
                    .ok()
                    .filter(|n| *n >= 1)
                    .with_context(|| format!("--rounds {value}: not a number from 1"))?;
            }
            _ => bail!("unknown option {arg}; usage: cargo xtask overhead [--rounds N] [--json]"),
        }
    }
    if rounds < ROUNDS {
        eprintln!("fewer than {ROUNDS} rounds: do not quote these figures");
    }
    Ok((rounds, json))
}

/// Everything that can be measured here. Untraced is first: the others are compared with it.
fn variants() -> Vec<Variant> {
    let variant = |name, pairs, tracer| Variant {
        name,
        pairs,
        tracer,
    };
    let mut variants = vec![
        variant("untraced", PAIRS, Tracer::None),
        variant("ior, another process", PAIRS, Tracer::IorElsewhere),
        variant("ior, totals only", PAIRS, Tracer::Ior(&["--totals"])),
        variant("ior, rows discarded", PAIRS, Tracer::Ior(&["--discard"])),
        variant(
            "ior, rows as CSV",
            PAIRS,
            Tracer::Ior(&["--csv", "/dev/null"]),
        ),
        variant("ior, all rows to Parquet", PAIRS, Tracer::IorParquet),
    ];
    let others = [
        ("strace", variant("strace -f", PAIRS / 100, Tracer::Strace)),
        ("perf", variant("perf trace", PAIRS / 10, Tracer::PerfTrace)),
        (
            "bpftrace",
            variant("bpftrace, count by probe", PAIRS / 2, Tracer::Bpftrace),
        ),
    ];
    for (program, variant) in others {
        match process::find(program) {
            Some(_) => variants.push(variant),
            None => eprintln!("{program} is not installed: left out"),
        }
    }
    variants
}

fn measure(variant: &Variant, ior: &std::path::Path, workload: &Workload) -> Result<Sample> {
    let running = workload.start(variant.pairs)?;
    let session = tracer::start(&variant.tracer, ior, running.pid(), workload.bystander())?;
    let ns_per_call = running.go()?;
    Ok(Sample {
        ns_per_call,
        counts: session.stop()?,
    })
}

fn lines(
    variants: &[Variant],
    samples: &[Vec<Sample>],
    failures: Vec<Option<String>>,
) -> Vec<Line> {
    let untraced: Vec<f64> = samples[0].iter().map(|s| s.ns_per_call).collect();
    variants
        .iter()
        .zip(samples)
        .zip(failures)
        .map(|((variant, samples), failure)| {
            let ns = samples.iter().map(|s| s.ns_per_call);
            // A failed variant has fewer samples than rounds; its ratios are of the rounds it has.
            let ratios = ns.clone().zip(&untraced).map(|(ns, base)| ns / base);
            Line {
                name: variant.name,
                ns_per_call: median(ns.collect()),
                ratio: median(ratios.collect()),
                made: samples.len() as u64 * variant.pairs * 2,
                counts: Counts::sum(samples.iter().map(|s| s.counts)),
                failure,
            }
        })
        .collect()
}

/// The middle value; the mean of the two in the middle of an even number.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => Some(values[middle]),
        _ => Some((values.get(middle.checked_sub(1)?)? + values.get(middle)?) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn options_are_checked() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parse(&[]).unwrap(), (ROUNDS, false));
        assert_eq!(parse(&words("--json --rounds 9")).unwrap(), (9, true));
        for wrong in ["--rounds", "--rounds 0", "--rounds x", "--other"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
