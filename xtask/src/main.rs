//! Development tasks of `ior`. Imports none of its crates: a broken generated file must not stop its generator.

mod captures;
mod codegen;
mod debian;
mod demo;
mod dist;
mod interop;
mod join;
mod kernels;
mod overhead;
mod process;
mod screenshots;
mod setup;
mod soak;
mod table;
mod tests;
mod tracefs;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask TASK

  setup                install the build tools that are missing
  demo                 build ior and show it at work (root)
  test                 every test; those that trace need root
  interop              read a recording with DuckDB, ClickHouse, polars and pyarrow (root; packages from PyPI)
  dist [--check | --check-reproducible]
                       the static binary, its pages and licences, as tar.gz, .deb and .rpm; try them in empty
                       systems (root), or make them again elsewhere and compare
  kernels [NAME]...    boot the static binary on other kernels in an emulator (packages of Debian's)
  overhead [--rounds N] [--json]
                       what tracing costs, beside other tools (root)
  soak --minutes N     a long run under a mixed load: nothing may grow (root)
  screenshots          draw the README's pictures of the dashboard (docs/screenshots)
  codegen [--check]    write the files that follow from syscalls/table.toml, or check that they are fresh
  audit                compare the running kernel's syscalls with the table (root)
  capture              print the running kernel's syscalls in the format of syscalls/captures (root)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let Some((task, rest)) = args.split_first() else {
        bail!("{USAGE}");
    };
    match task.as_str() {
        "setup" => setup::run(rest),
        "screenshots" => screenshots::run(rest),
        "demo" => demo::run(rest),
        "test" => tests::run(rest),
        "interop" => interop::run(rest),
        "dist" => dist::run(rest),
        "kernels" => kernels::run(rest),
        "overhead" => overhead::run(rest),
        "soak" => soak::run(rest),
        "codegen" => codegen::run(rest),
        "audit" => tracefs::audit(rest),
        "capture" => tracefs::capture(rest),
        _ => bail!("unknown task `{task}`\n{USAGE}"),
    }
}
