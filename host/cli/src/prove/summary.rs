// SPDX-License-Identifier: Apache-2.0
//! Sums up all systems: one row for each family, and the systems with faults.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::FORMAT;

use super::judge::Kind;
use super::{Outcome, Request, Word};

/// What `takt prove` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProveDocument")]
pub struct Summary {
    /// The version of this format.
    pub format: u32,
    /// "prove".
    #[schemars(extend("const" = "prove"))]
    pub document: &'static str,
    /// The exit status of the command.
    pub exit_status: u8,
    /// Nothing that was found counts as a failure.
    pub good: bool,
    /// The board's name.
    pub board: String,
    /// The first system's seed.
    pub first_seed: u64,
    /// The last system's seed.
    pub last_seed: u64,
    /// Interleavings of each system, besides the plain one.
    pub interleavings: u64,
    /// A row for each family, and one for all where there are several.
    pub families: Vec<Row>,
    /// The systems with a fault, be it excused or not.
    pub found: Vec<Outcome>,
}

/// The systems of one family.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "FamilyRow")]
pub struct Row {
    /// The family's name.
    pub family: String,
    /// Systems that were generated.
    pub systems: u64,
    /// Systems that the check calls proved.
    pub proved: u64,
    /// Systems that the check calls computed.
    pub computed: u64,
    /// Tasks that have a bound and a completed job.
    pub bounds: u64,
    /// Bounds of systems that are `proved` which a response exceeded with no broken assumption reported.
    pub broken_proved: u64,
    /// The same for the systems that are not `proved`.
    pub broken_others: u64,
    /// Systems of which a broken assumption was reported.
    pub reported: u64,
    /// Systems with a fault that nothing excuses.
    pub failed: u64,
    /// Bound by longest response, the least; null: no task has both.
    pub least_ratio: Option<f64>,
    /// Bound by longest response, the mean; null: no task has both.
    pub mean_ratio: Option<f64>,
}

impl Row {
    fn new(family: &str, outcomes: &[&Outcome]) -> Row {
        let count = |good: &dyn Fn(&Outcome) -> bool| {
            outcomes.iter().filter(|outcome| good(outcome)).count() as u64
        };
        let broken = |proved: bool| {
            let systems = outcomes.iter().filter(|it| (it.word == Word::Proved) == proved);
            let faults = systems.flat_map(|it| &it.faults);
            faults.filter(|fault| fault.kind == Kind::BoundBroken).count() as u64
        };
        let honest = outcomes.iter().filter(|outcome| outcome.assumptions.is_empty());
        let ratios: Vec<f64> =
            honest.flat_map(|outcome| outcome.tasks.iter().map(|task| task.ratio())).collect();
        Row {
            family: family.to_string(),
            systems: outcomes.len() as u64,
            proved: count(&|it| it.word == Word::Proved),
            computed: count(&|it| it.word == Word::Computed),
            bounds: outcomes.iter().map(|outcome| outcome.tasks.len() as u64).sum(),
            broken_proved: broken(true),
            broken_others: broken(false),
            reported: count(&|it| !it.assumptions.is_empty()),
            failed: count(&|it| !it.good()),
            least_ratio: ratios.iter().copied().reduce(f64::min),
            mean_ratio: (!ratios.is_empty())
                .then(|| ratios.iter().sum::<f64>() / ratios.len() as f64),
        }
    }

    fn cells(&self) -> Vec<String> {
        let ratio = |it: Option<f64>| it.map_or("-".to_string(), |it| format!("{it:.3}"));
        let numbers = [
            self.systems,
            self.proved,
            self.computed,
            self.bounds,
            self.broken_proved,
            self.broken_others,
            self.reported,
            self.failed,
        ];
        let mut cells = vec![self.family.clone()];
        cells.extend(numbers.map(|number| number.to_string()));
        cells.extend([ratio(self.least_ratio), ratio(self.mean_ratio)]);
        cells
    }
}

impl Summary {
    pub fn new(request: &Request, outcomes: &[Outcome]) -> Summary {
        let mut families = Vec::new();
        for family in takt_prove::families() {
            let of: Vec<_> = outcomes.iter().filter(|it| it.family == family.name).collect();
            if !of.is_empty() {
                families.push(Row::new(family.name, &of));
            }
        }
        if families.len() > 1 {
            families.push(Row::new("all", &outcomes.iter().collect::<Vec<_>>()));
        }
        let found: Vec<_> =
            outcomes.iter().filter(|outcome| !outcome.faults.is_empty()).cloned().collect();
        let good = outcomes.iter().all(Outcome::good);
        Summary {
            format: FORMAT,
            document: "prove",
            exit_status: u8::from(!good),
            good,
            board: request.machine.board.name.clone(),
            first_seed: *request.seeds.start(),
            last_seed: *request.seeds.end(),
            interleavings: request.interleavings,
            families,
            found,
        }
    }

    pub fn render(&self) -> String {
        let head = [
            "family",
            "systems",
            "proved",
            "computed",
            "bounds",
            "broken",
            "computed, broken",
            "reported",
            "failed",
            "least",
            "mean",
        ];
        let mut text = takt_trace::table(&head, self.families.iter().map(Row::cells)) + "\n";
        text += "broken: responses above the bounds of proved systems; computed, broken: of all others; \
                 reported: systems of which a\nbroken assumption was reported; least, mean: bound by \
                 longest response\n";
        let systems = self.last_seed - self.first_seed + 1;
        let failures = self.found.iter().filter(|outcome| !outcome.good()).count();
        let board = &self.board;
        text += &match (failures, self.found.len()) {
            (0, 0) => format!("{systems} systems on {board}: no bound is broken\n"),
            (0, found) => format!(
                "{systems} systems on {board}: no bound is broken but of {found} systems that the check \
                 does not call proved\n"
            ),
            _ => format!("{systems} systems on {board}: {failures} failed\n"),
        };
        for outcome in &self.found {
            text += &outcome.text();
        }
        text
    }
}
