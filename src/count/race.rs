//! The race: how a component is counted by whichever way turns out best on it, without losing much to a wrong forecast.
//!
//! A *racer* is one way to count a component: a walk, a sweep in a direction, the search for the backbone. Only one racer runs at a time, with
//! all threads, for a *slice* of work. Work is computed from counters and not read from a clock, so the choice is the same in every run on one
//! thread. [`pick`] is the whole rule of choosing:
//!
//! - The racer with the least work goes next if three times that work, times the number of others that the race began with, is at most all
//!   work so far. For a racer that has not begun, its first slice stands for its work. So nobody starves.
//! - Otherwise the one goes next that is expected to need the least work from now on. So the favourite has at least two thirds of the work.
//!
//! If the best of several racers needs the work B, then k racers do at most 3(k - 1)B together and some slices, whatever the forecasts say,
//! and 1.5 B where these are right. The favourite's slices are an eighth of all work so far. That holds for each race by itself: cells that
//! are found begin a new one, a racer that cannot go on leaves the race with its work, and one whose memory a more promising one needs begins
//! again.

use std::sync::Mutex;

use super::components::ComponentValue;
use super::options::{self, Way};
use super::workers::Workers;
use crate::line::Word;
use crate::run::{Activity, lock};
use crate::sat::Backbone;
use crate::solutions::Count;

/// How a slice ended.
#[derive(Debug)]
pub(crate) enum SliceEnd {
    /// The component is counted.
    Counted(ComponentValue),
    /// There is more to do.
    More,
    /// The racer cannot go on: it lacks memory, or has nothing left to do.
    Out,
    /// Cells were found that make a smaller root. The racer can go on.
    Facts(Box<Backbone>),
    /// The puzzle has no solution.
    Unsatisfiable,
}

/// One way to count a component.
pub(crate) trait Racer<W: Word> {
    fn activity(&self) -> Activity;

    /// Does about this much work, in nanoseconds, or less if the run is stopped. Returns how much it was, and how the slice ended.
    fn advance(
        &mut self,
        workers: &mut Workers<'_, '_, '_, W>,
        work: u64,
        others: &Others<'_, '_, W>,
    ) -> (u64, SliceEnd);

    /// The nanoseconds of work that it is expected to need from now on, once it has begun.
    fn left(&self) -> f64;

    /// Its first slice, as a multiple of the least slice.
    fn first_slices(&self) -> u64 {
        1
    }

    /// What it is expected to need before it has begun, as such a multiple.
    fn expected_slices(&self) -> u64;

    /// A lower bound that it has proved for the count of the component.
    fn proved(&self) -> Count {
        Count::ZERO
    }

    /// Bytes that it holds while others run.
    fn bytes(&self) -> u64 {
        0
    }

    /// Frees memory: what is soon done again; or `all` of it, so that the racer begins again and holds nothing.
    fn shrink(&mut self, _all: bool) {}
}

/// What [`pick`] knows of a racer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Nanoseconds of work so far, and of the next slice if it is the first.
    pub(crate) spent: u64,
    pub(crate) first_slice: u64,
    /// The nanoseconds of work that are expected to be left.
    pub(crate) left: f64,
}

/// The racer that goes next, of a race that began with this many others.
pub(crate) fn pick(racers: &[Standing], others_at_start: u64) -> usize {
    let all: u64 = racers.iter().map(|racer| racer.spent).sum::<u64>();
    let due = |racer: &Standing| match racer.spent {
        0 => racer.first_slice,
        spent => spent,
    };
    let indices = || 0..racers.len();
    let least = indices().min_by_key(|&i| due(&racers[i])).unwrap_or(0);
    if options::FAVOUR * due(&racers[least]) * others_at_start <= all {
        return least;
    }
    let favourite = indices().min_by(|&a, &b| {
        let by_left = racers[a].left.total_cmp(&racers[b].left);
        by_left.then(racers[a].spent.cmp(&racers[b].spent))
    });
    favourite.unwrap_or(0)
}

/// How a race ended.
#[derive(Debug)]
pub(crate) enum RaceEnd {
    Counted(ComponentValue),
    Facts(Box<Backbone>),
    Unsatisfiable,
    /// No racer can go on.
    Out,
    /// The run was stopped.
    Stopped,
}

/// A racer, and the nanoseconds of work that it has had.
pub(crate) struct Runner<'r, W: Word> {
    pub(crate) way: Way,
    pub(crate) racer: Box<dyn Racer<W> + Send + 'r>,
    pub(crate) spent: u64,
}

/// Counts a component by these racers. `report` is called after every slice with the racer and how the slice ended.
pub(crate) fn race<W: Word>(
    mut runners: Vec<Runner<'_, W>>,
    workers: &mut Workers<'_, '_, '_, W>,
    mut report: impl FnMut(&Runner<'_, W>, &SliceEnd),
) -> RaceEnd {
    let crew = workers.crew();
    let (control, shortest) = (&crew.control, crew.options.slice_ns);
    let most = options::MAX_SLICES
        .saturating_mul(shortest)
        .saturating_mul(crew.workers as u64);
    let others_at_start = runners.len().saturating_sub(1) as u64;
    while !control.poll() {
        if runners.is_empty() {
            return RaceEnd::Out;
        }
        let standings: Vec<Standing> = runners
            .iter()
            .map(|runner| runner.standing(shortest))
            .collect();
        let next = pick(&standings, others_at_start);
        let work = slice(&standings, next).clamp(shortest, most);
        let mut runner = runners.remove(next);
        workers.crew().status.set_activity(runner.racer.activity());
        let others = Others::of(&mut runners, standings[next].left);
        let (spent, end) = runner.racer.advance(workers, work, &others);
        // Who does nothing has its turn too.
        runner.spent += spent.max(shortest.div_ceil(8));
        report(&runner, &end);
        match end {
            SliceEnd::More => runners.insert(next, runner),
            SliceEnd::Out => {}
            SliceEnd::Counted(value) => return RaceEnd::Counted(value),
            SliceEnd::Facts(facts) => return RaceEnd::Facts(facts),
            SliceEnd::Unsatisfiable => return RaceEnd::Unsatisfiable,
        }
    }
    RaceEnd::Stopped
}

impl<W: Word> Runner<'_, W> {
    /// `shortest`: the nanoseconds of the shortest slice.
    fn standing(&self, shortest: u64) -> Standing {
        Standing {
            spent: self.spent,
            first_slice: self.racer.first_slices() * shortest,
            left: match self.spent {
                0 => (self.racer.expected_slices() * shortest) as f64,
                _ => self.racer.left(),
            },
        }
    }
}

/// The work of the next slice of a racer: an eighth of all work so far, but of its own work so far if it has not had the most.
fn slice(racers: &[Standing], next: usize) -> u64 {
    let all: u64 = racers.iter().map(|racer| racer.spent).sum::<u64>();
    let has_most = racers.iter().all(|racer| racer.spent <= racers[next].spent);
    match racers[next].spent {
        0 => racers[next].first_slice,
        _ if has_most => all / options::SLICE_DIVISOR,
        spent => spent / options::SLICE_DIVISOR,
    }
}

/// The racers that do not run, of which the one that runs can have memory.
pub(crate) struct Others<'o, 'r, W: Word> {
    runners: Mutex<&'o mut [Runner<'r, W>]>,
    /// The work that the racer that runs is expected to need.
    left: f64,
}

impl<'o, 'r, W: Word> Others<'o, 'r, W> {
    fn of(runners: &'o mut [Runner<'r, W>], left: f64) -> Self {
        Others {
            runners: Mutex::new(runners),
            left,
        }
    }

    /// Bytes that those hold that are expected to need no more work than the racer that runs. It cannot have them: otherwise two racers could
    /// take their memory from each other in turn, and each would begin again.
    pub(crate) fn kept(&self) -> u64 {
        let runners = lock(&self.runners);
        let better = runners.iter().filter(|it| it.racer.left() <= self.left);
        better.map(|it| it.racer.bytes()).sum()
    }

    /// Frees memory of those that are expected to need more work than the racer that runs, until they hold at most this number of bytes.
    pub(crate) fn fit(&self, bytes: u64) {
        fit(&mut lock(&self.runners), self.left, bytes);
    }

    /// Frees memory of all others until they hold at most this number of bytes.
    pub(crate) fn fit_all(&self, bytes: u64) {
        fit(&mut lock(&self.runners), f64::NEG_INFINITY, bytes);
    }
}

/// Frees memory of those racers that are expected to need more work than this, until they hold at most this number of bytes together: of the
/// one that is expected to need most at first, what is soon done again, and then all.
fn fit<W: Word>(runners: &mut [Runner<'_, W>], left: f64, bytes: u64) {
    let mut worse: Vec<_> = runners
        .iter_mut()
        .filter(|it| it.racer.left() > left)
        .collect();
    worse.sort_by(|a, b| b.racer.left().total_cmp(&a.racer.left()));
    let mut held: u64 = worse.iter().map(|it| it.racer.bytes()).sum();
    for runner in worse {
        for all in [false, true] {
            if held <= bytes {
                return;
            }
            held -= runner.racer.bytes();
            runner.racer.shrink(all);
            held += runner.racer.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN_SLICE_NS: u64 = 20_000_000;

    /// A small random generator: the high bits of a linear congruence.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) % bound
        }
    }

    /// The work of a race of racers that need this much, with these forecasts of what is left.
    fn run(needs: &[u64], first_slice: u64, mut left: impl FnMut(usize, u64) -> f64) -> u64 {
        let mut spent = vec![0; needs.len()];
        loop {
            let standing = |i: usize, left: f64| Standing {
                spent: spent[i],
                first_slice,
                left,
            };
            let standings: Vec<_> = (0..needs.len())
                .map(|i| standing(i, left(i, spent[i])))
                .collect();
            let next = pick(&standings, needs.len() as u64 - 1);
            let work = slice(&standings, next).max(MIN_SLICE_NS);
            spent[next] += work.min(needs[next] - spent[next]);
            if spent[next] == needs[next] {
                return spent.iter().sum();
            }
        }
    }

    /// Whatever the forecasts say, the whole is at most 3(k - 1) times the best of k racers, and some slices.
    #[test]
    fn no_forecast_costs_more_than_the_guarantee() {
        let mut random = Random(1);
        let mut worst: f64 = 0.0;
        for _ in 0..2000 {
            let k = 2 + random.below(5);
            let needs: Vec<u64> = (0..k).map(|_| MIN_SLICE_NS << random.below(14)).collect();
            let best = *needs.iter().min().unwrap();
            let liar = random.below(3);
            let all = run(&needs, MIN_SLICE_NS, |i, spent| match liar {
                // The worst racer always seems to be about to end; or the forecasts are noise; or they are right.
                0 => 1.0 / needs[i] as f64,
                1 => random.below(1 << 40) as f64,
                _ => (needs[i] - spent) as f64,
            });
            let guaranteed = 3 * (k - 1) * (best + MIN_SLICE_NS);
            worst = worst.max(all as f64 / guaranteed as f64);
            // A slice is an eighth of all.
            assert!(
                all <= guaranteed + guaranteed / 4,
                "{k} racers, {needs:?}: {all}"
            );
        }
        assert!(worst > 0.5, "{worst}");
    }

    #[test]
    fn right_forecasts_cost_about_half_as_much_again() {
        let mut random = Random(7);
        let (mut sum, mut best_sum) = (0, 0);
        for _ in 0..500 {
            let needs: Vec<u64> = (0..4)
                .map(|_| (MIN_SLICE_NS << 6) + random.below(MIN_SLICE_NS << 10))
                .collect();
            sum += run(&needs, MIN_SLICE_NS, |i, spent| (needs[i] - spent) as f64);
            best_sum += needs.iter().min().unwrap();
        }
        let ratio = sum as f64 / best_sum as f64;
        assert!((1.0..1.75).contains(&ratio), "{ratio}");
    }

    /// A racer that only holds memory, some of which is soon done again.
    struct Holder {
        left: f64,
        soon: u64,
        rest: u64,
    }

    impl Racer<u64> for Holder {
        fn activity(&self) -> Activity {
            Activity::Branching
        }

        fn advance(
            &mut self,
            _workers: &mut Workers<'_, '_, '_, u64>,
            _work: u64,
            _others: &Others<'_, '_, u64>,
        ) -> (u64, SliceEnd) {
            (0, SliceEnd::More)
        }

        fn left(&self) -> f64 {
            self.left
        }

        fn expected_slices(&self) -> u64 {
            0
        }

        fn bytes(&self) -> u64 {
            self.soon + self.rest
        }

        fn shrink(&mut self, all: bool) {
            self.soon = 0;
            self.rest = if all { 0 } else { self.rest };
        }
    }

    /// Once, a paused sweep lost its part whenever a walk had its turn, and a sweep that was nearly done lost all to another one.
    #[test]
    fn a_racer_has_memory_only_of_those_that_are_expected_to_need_more_work() {
        let holder = |left: f64| Runner {
            way: Way::Walk,
            racer: Box::new(Holder {
                left,
                soon: 10,
                rest: 30,
            }),
            spent: 1,
        };
        for (left, bytes, held) in [
            (5.0, 200, [40, 40, 40]),
            (5.0, 70, [40, 30, 40]),
            (5.0, 50, [40, 0, 40]),
            (5.0, 39, [40, 0, 30]),
            (5.0, 0, [40, 0, 0]),
            (2.0, 0, [40, 0, 0]),
            (1.0, 0, [40, 0, 0]),
            (0.5, 0, [0, 0, 0]),
        ] {
            let mut runners = vec![holder(1.0), holder(9.0), holder(7.0)];
            let others = Others::of(&mut runners, left);
            assert_eq!(others.kept(), if left < 1.0 { 0 } else { 40 });
            others.fit(bytes);
            let now: Vec<u64> = runners.iter().map(|it| it.racer.bytes()).collect();
            assert_eq!(now, held, "{left} {bytes}");
        }
    }

    #[test]
    fn a_racer_with_a_long_first_slice_begins_when_that_is_its_share() {
        let racer = |spent: u64, first_slice: u64| Standing {
            spent,
            first_slice,
            left: 1e12,
        };
        let long = 10 * MIN_SLICE_NS;
        for (all, next) in [(3 * long - 1, 0), (3 * long, 1)] {
            let favourite = Standing {
                left: 1.0,
                ..racer(all, MIN_SLICE_NS)
            };
            assert_eq!(pick(&[favourite, racer(0, long)], 1), next);
        }
    }
}
