//! The trials of plans that go on in later rounds, and the memory that they hold meanwhile.

/// What a trial leaves when it pauses.
pub(crate) trait Held {
    /// The bytes that it holds.
    fn bytes(&self) -> u64;
}

/// The trials of one component that have paused, at most one of each plan.
#[derive(Debug)]
pub(crate) struct Paused<P, T> {
    component: usize,
    /// The one that has paused first comes first.
    trials: Vec<(P, T)>,
}

impl<P, T> Default for Paused<P, T> {
    fn default() -> Self {
        Paused {
            component: 0,
            trials: Vec::new(),
        }
    }
}

impl<P: Copy + PartialEq, T: Held> Paused<P, T> {
    /// Takes out the trial of this component by this plan. Drops all trials of other components.
    pub(crate) fn take(&mut self, component: usize, plan: P) -> Option<T> {
        if self.component != component {
            self.component = component;
            self.trials.clear();
        }
        let place = self.trials.iter().position(|(paused, _)| *paused == plan)?;
        Some(self.trials.remove(place).1)
    }

    /// Keeps a trial of the component of the last [`take`](Self::take).
    pub(crate) fn keep(&mut self, plan: P, trial: T) {
        self.trials.push((plan, trial));
    }

    /// The component of the trials.
    pub(super) fn component(&self) -> usize {
        self.component
    }

    /// Bytes of all trials together.
    pub(super) fn bytes(&self) -> u64 {
        self.trials.iter().map(|(_, trial)| trial.bytes()).sum()
    }

    /// All trials.
    pub(super) fn trials_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.trials.iter_mut().map(|(_, trial)| trial)
    }

    /// Takes out all trials.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        self.trials.drain(..).map(|(_, trial)| trial)
    }

    /// Drops trials, the one that has paused first at first, until all together hold at most this number of bytes. Returns the plans of those
    /// that are dropped.
    pub(super) fn drop_beyond(&mut self, bytes: u64) -> Vec<P> {
        let mut held = self.bytes();
        let is_dropped = |(_, trial): &mut (P, T)| {
            let is_dropped = held > bytes;
            held -= if is_dropped { trial.bytes() } else { 0 };
            is_dropped
        };
        let dropped = self.trials.extract_if(.., is_dropped);
        dropped.map(|(plan, _)| plan).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Held for u64 {
        fn bytes(&self) -> u64 {
            *self
        }
    }

    fn paused(component: usize) -> Paused<char, u64> {
        let mut paused = Paused::default();
        assert!(paused.take(component, 'a').is_none());
        paused.keep('a', 30);
        paused.keep('b', 20);
        assert_eq!((paused.component(), paused.bytes()), (component, 50));
        paused
    }

    #[test]
    fn a_trial_goes_on_for_its_component_and_its_plan_only() {
        let mut trials = paused(5);
        assert_eq!(trials.take(5, 'b'), Some(20));
        assert_eq!(trials.take(5, 'b'), None);
        assert_eq!(trials.take(5, 'a'), Some(30));
        let mut trials = paused(5);
        assert_eq!(trials.take(6, 'a'), None);
        assert_eq!((trials.component(), trials.bytes()), (6, 0));
    }

    #[test]
    fn the_trial_that_paused_first_is_dropped_first_and_no_more_than_needed() {
        for (bytes, dropped) in [(50, &[][..]), (49, &['a']), (20, &['a']), (19, &['a', 'b'])] {
            assert_eq!(paused(5).drop_beyond(bytes), dropped);
        }
    }
}
