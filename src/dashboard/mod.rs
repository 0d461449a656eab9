//! The dashboard of the running machine: one thread traces, one keeps the statistics, the main thread draws.
//!
//! The screens are in [`ior_tui`], which knows nothing of tracing; here they get their snapshots from a live trace.

mod collector;
mod cost;
mod desk;
mod export;
mod recorder;
mod scope;
mod world;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use ior_core::Loss;
use ior_core::live::{DemoFeed, Facts};
use ior_core::snapshot::{Command, Feed, Target};
use ior_core::view::View;
use ior_tui::theme::Theme;
use ior_tui::{First, PanicKey, Start};

use crate::Failure;
use crate::cli::{Config, Screen};
use crate::session::Temporaries;
use crate::signals::Signals;
use collector::Collector;
use world::Machine;

/// What the demo's calls are made from: the same every time.
const DEMO: u64 = 7;

/// In tests, lets a key panic, to see what becomes of the terminal.
const PANIC_KEY: &str = "IOR_TEST_PANIC_KEY";

/// Whether a run of this configuration is the dashboard.
pub fn is_wanted(config: &Config) -> bool {
    match config.screen {
        Screen::No => false,
        Screen::OnTerminal => io::stdin().is_terminal() && io::stdout().is_terminal(),
        Screen::Demo => true,
    }
}

/// Shows it until the user or a signal ends it, and returns the exit status.
pub fn run(config: Config) -> Result<u8, Failure> {
    show(config).map_err(|error| Failure { status: 1, error })
}

fn show(config: Config) -> Result<u8> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(anyhow!(
            "the dashboard needs a terminal: standard input or output is none"
        ));
    }
    let temporaries = Temporaries::default();
    let left = temporaries.clone();
    let clean_up = move || {
        left.remove_all();
        ior_tui::terminal::give_back();
    };
    let signals = Signals::install(clean_up).context("cannot handle signals")?;
    let mut machine = Machine::new(temporaries.clone());
    let quit = signals.over();
    let start = start(&config);
    let recorded = match config.screen {
        Screen::Demo => {
            let began = Instant::now();
            let mut feed = DemoFeed::filtered_by(config.filter, DEMO, move || began.elapsed());
            ior_tui::run(&mut feed, &mut machine, start, &quit)
                .context("cannot use the terminal")?;
            None
        }
        _ => live(config, &mut machine, start, &temporaries, quit)?,
    };
    if let Some(path) = recorded {
        let _ = writeln!(io::stderr(), "ior: wrote {path}");
    }
    // As a shell reports a program that a signal has ended.
    Ok(signals
        .received()
        .and_then(|signal| u8::try_from(128 + signal).ok())
        .unwrap_or(0))
}

fn start(config: &Config) -> Start {
    let is_demo = config.screen == Screen::Demo;
    Start {
        first: if is_demo || config.names_scope() {
            First::Tabs
        } else {
            First::Picker
        },
        filter: config.filter.clone(),
        scope: scope::named(&config.options.scope),
        theme: Theme::detect(|name| std::env::var(name).ok()),
        panic_key: match std::env::var_os(PANIC_KEY) {
            Some(_) => PanicKey::On,
            None => PanicKey::Off,
        },
    }
}

/// Sets a flag when it is dropped, whatever the reason.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Traces behind the screens. Returns the path of a recording that was completed at the end.
fn live(
    config: Config,
    machine: &mut Machine,
    start: Start,
    temporaries: &Temporaries,
    quit: Arc<AtomicBool>,
) -> Result<Option<String>> {
    let begins_at_once = start.first == First::Tabs;
    let (desk, mut feed, to_desk, orders) = desk::desk(
        config.filter.clone(),
        first_facts(&config, &start),
        View::Overview,
    );
    let spawn = |name: &str| thread::Builder::new().name(name.into());
    // Ends by itself when nobody tells it anything any more.
    let ends = Ends(Arc::clone(&quit));
    let statistics = spawn("ior-statistics").spawn(move || {
        let _ends = ends;
        desk.run();
    })?;
    let ends = Ends(Arc::clone(&quit));
    let (is_over, temporaries) = (Arc::clone(&quit), temporaries.clone());
    let tracing = spawn("ior-trace").spawn(move || {
        let _ends = ends;
        // A trace stays in the thread that has attached it.
        Collector::new(config, orders, to_desk, is_over, temporaries).run()
    })?;
    if begins_at_once {
        feed.command(Command::Target(Target::Initial));
    }
    let shown = ior_tui::run(&mut feed, machine, start, &quit).context("cannot use the terminal");
    quit.store(true, Ordering::Relaxed);
    drop(feed);
    let recorded = tracing
        .join()
        .map_err(|_| anyhow!("the thread that traces panicked"))?;
    let kept = statistics
        .join()
        .map_err(|_| anyhow!("the thread of the statistics panicked"));
    shown?;
    kept?;
    recorded
}

/// Before anything is traced nothing is lost. A screen that begins with the tabs waits until something is.
fn first_facts(config: &Config, start: &Start) -> Facts {
    Facts {
        notice: (start.first == First::Tabs).then(|| collector::ATTACHING.to_owned()),
        syscalls: config.options.syscalls.clone().into(),
        loss: Loss {
            not_seen: Some(0),
            ..Loss::default()
        },
        ..Facts::default()
    }
}
