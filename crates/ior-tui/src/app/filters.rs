//! The filter with what it was before: each change can be taken back.

use std::collections::VecDeque;

use ior_core::Filter;

/// Changes that can be taken back.
pub const LEVELS: usize = 50;

/// The filter in force and those before it.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    now: Filter,
    /// The oldest first.
    before: VecDeque<Filter>,
}

impl Filters {
    /// With nothing to take back.
    pub fn new(now: Filter) -> Filters {
        Filters {
            now,
            before: VecDeque::new(),
        }
    }

    /// The filter in force.
    pub fn now(&self) -> &Filter {
        &self.now
    }

    /// How many changes can be taken back.
    pub fn depth(&self) -> usize {
        self.before.len()
    }

    /// Puts another filter in force. Says whether it is another.
    pub fn set(&mut self, filter: Filter) -> Changed {
        if filter == self.now {
            return Changed::No;
        }
        if self.before.len() == LEVELS {
            self.before.pop_front();
        }
        self.before
            .push_back(std::mem::replace(&mut self.now, filter));
        Changed::Yes
    }

    /// Narrows the filter by the conditions of another one; those that are there already are not added again.
    pub fn narrow(&mut self, by: &Filter) -> Changed {
        let mut filter = self.now.clone();
        for condition in by.conditions() {
            if !filter.conditions().contains(condition) {
                filter.push(condition.clone());
            }
        }
        self.set(filter)
    }

    /// Takes the last change back.
    pub fn undo(&mut self) -> Changed {
        match self.before.pop_back() {
            Some(before) => {
                self.now = before;
                Changed::Yes
            }
            None => Changed::No,
        }
    }
}

/// Whether something is different now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It is.
    Yes,
    /// It is as it was.
    No,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filter(text: &str) -> Filter {
        Filter::parse(text).unwrap()
    }

    #[test]
    fn the_oldest_change_is_forgotten() {
        let mut filters = Filters::default();
        for pid in 0..60 {
            assert_eq!(filters.set(filter(&format!("pid={pid}"))), Changed::Yes);
        }
        assert_eq!(filters.depth(), LEVELS);
        while filters.undo() == Changed::Yes {}
        assert_eq!(filters.now(), &filter("pid=9"));
    }

    #[test]
    fn a_condition_that_is_there_is_no_change() {
        let mut filters = Filters::new(filter("pid=1 errors"));
        assert_eq!(filters.narrow(&filter("errors")), Changed::No);
        assert_eq!(filters.narrow(&filter("pid=1 comm=a")), Changed::Yes);
        assert_eq!(filters.now().to_string(), "pid=1 errors comm=a");
    }

    proptest! {
        #[test]
        fn undo_restores_exactly(steps in prop::collection::vec(prop::option::of((any::<bool>(), 0u32..4)), 0..200)) {
            let mut filters = Filters::default();
            let mut model = vec![Filter::default()];
            for step in steps {
                let last = model.last().cloned().unwrap_or_default();
                match step {
                    None => {
                        if model.len() > 1 { model.pop(); }
                        filters.undo();
                    }
                    Some((narrow, pid)) => {
                        let by = filter(&format!("pid={pid}"));
                        let next = match narrow {
                            true if last.conditions().contains(&by.conditions()[0]) => last.clone(),
                            true => last.clone().and(by.conditions()[0].clone()),
                            false => by.clone(),
                        };
                        if next != last { model.push(next); }
                        if model.len() > LEVELS + 1 { model.remove(0); }
                        match narrow {
                            true => filters.narrow(&by),
                            false => filters.set(by),
                        };
                    }
                }
                prop_assert_eq!(Some(filters.now()), model.last());
                prop_assert_eq!(filters.depth(), model.len() - 1);
            }
        }
    }
}
