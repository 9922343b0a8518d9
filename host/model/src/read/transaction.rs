// SPDX-License-Identifier: Apache-2.0
//! Reads the transactions, which the I/O schedule gives their windows.

use std::collections::HashMap;

use super::{
    file::{Name, PhysicalTable, Spanned, SystemFile, TransactionTable},
    frame,
    report::Report,
    shared,
    task::ClassNames,
    values,
    words::{self, Names},
};
use crate::{
    Activation, Class, Code, Nanos, PhysicalIo, Problem, System, Transaction, TransactionTask,
};

pub fn read_all(report: &mut Report, file: &SystemFile, names: &ClassNames, system: &mut System) {
    let transactions = file.transaction.iter().map(|table| &table.name);
    Names::read(report, "transaction", Code::UnknownKey, transactions);
    let mut first: HashMap<&str, &Spanned<Name>> = HashMap::new();
    for table in &file.transaction {
        for name in tasks(table) {
            if let Some(earlier) = first.insert(&name.get().0, name) {
                report.add(shared::repeated("task", name.span(), earlier.span()));
            }
        }
        let transaction = Reader { report, file, names, system }.transaction(table);
        system.io.transactions.extend(transaction);
    }
}

fn tasks(table: &TransactionTable) -> impl Iterator<Item = &Spanned<Name>> {
    let (input, output) = (table.input.as_ref(), table.output.as_ref());
    input.map(|it| &it.task).into_iter().chain([&table.task]).chain(output.map(|it| &it.task))
}

struct Reader<'a, 'f> {
    report: &'a mut Report,
    file: &'f SystemFile,
    names: &'a ClassNames<'f>,
    system: &'a mut System,
}

impl Reader<'_, '_> {
    fn transaction(&mut self, table: &TransactionTable) -> Option<Transaction> {
        if table.input.is_none() && table.output.is_none() {
            let name = &table.name.get().0;
            let message = format!("the transaction `{name}` has neither input nor output");
            let help = "add input = { device = ..., duration = ..., task = ... }, or an output";
            let problem = Problem::new(Code::MissingKey, message, help);
            self.report.add(problem.at(table.name.span(), "no input, no output"));
        }
        let limit = values::positive(self.report, "limit", &table.limit);
        let task = self.task(&table.task);
        let period = task.and_then(|it| self.period(it.task));
        if let Some(task) = task {
            self.check_window(&table.task, task.task);
        }
        let mut physical = |side: &Option<PhysicalTable>| match side {
            None => Some(None),
            Some(side) => self.physical(side, &table.task, period).map(Some),
        };
        let (input, output) = (physical(&table.input), physical(&table.output));
        let name = table.name.get().0.clone();
        Some(Transaction { name, input: input?, task: task?, output: output?, limit: limit? })
    }

    /// Finds a task of a transaction, which must be periodic.
    fn task(&mut self, name: &Spanned<Name>) -> Option<TransactionTask> {
        let task = self.names[Class::Task].find(self.report, name)?;
        let table = &self.file.task[task];
        let Activation::Periodic { offset, .. } = self.system.tasks[task].activation else {
            let message = format!("the task `{}` of a transaction is not periodic", name.get().0);
            let problem = Problem::new(Code::WrongActivation, message, "give the task a `period`");
            let problem = problem.at(name.span(), "part of a transaction");
            self.report.add(problem.at(table.name.span(), "the task"));
            return None;
        };
        Some(TransactionTask { task, offset: table.offset.as_ref().map(|_| offset) })
    }

    fn period(&self, task: usize) -> Option<Nanos> {
        match self.system.tasks[task].activation {
            Activation::Periodic { period, .. } => Some(period),
            _ => None,
        }
    }

    /// Whether the task's core is divided into windows.
    fn has_frame(&self, task: usize) -> bool {
        self.system.tasks[task].core.is_some_and(|core| self.system.frame(core).is_some())
    }

    /// Checks that the task of an application has a window: its deadline's, or one of its partition with its period.
    fn check_window(&mut self, name: &Spanned<Name>, task: usize) {
        if !self.has_frame(task) {
            return self.check_deadline(name, task);
        }
        let (core, partition) = (self.system.tasks[task].core, self.system.tasks[task].partition);
        let is_own = |it: &&crate::PeriodicWindow| {
            Some(it.core) == core
                && Some(it.partition) == partition
                && Some(it.period) == self.period(task)
        };
        if self.system.io.windows.iter().filter(is_own).count() == 1 {
            return;
        }
        let message = format!(
            "in the frame of its core not one window of the partition has the period of task `{}`",
            name.get().0
        );
        let help = "give the frame one window { partition = ..., period = ..., duration = ... } with the task's period";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        let problem = problem.at(name.span(), "part of a transaction");
        let period = self.file.task[task].period.as_ref();
        let place = period.map_or(name.span(), Spanned::span);
        self.report.add(problem.at(place, "the task's period"));
    }

    fn check_deadline(&mut self, name: &Spanned<Name>, task: usize) {
        let table = &self.file.task[task];
        if table.deadline.is_none() {
            let message = format!("the task `{}` has no deadline", name.get().0);
            let help = "add a deadline: in the I/O schedule the task's window ends there, and no other is open meanwhile";
            let problem = Problem::new(Code::MissingKey, message, help);
            let problem = problem.at(table.name.span(), "`deadline` is missing");
            self.report.add(problem.at(name.span(), "part of a transaction"));
        }
    }

    fn physical(
        &mut self,
        table: &PhysicalTable,
        application: &Spanned<Name>,
        period: Option<Nanos>,
    ) -> Option<PhysicalIo> {
        words::check_name(self.report, "device", &table.device);
        let duration = values::positive(self.report, "duration", &table.duration);
        let task = self.task(&table.task);
        if let Some(task) = task {
            self.check_device_task(&table.task, task.task, application, period);
        }
        let place = task.and_then(|it| self.file.task[it.task].period.as_ref());
        let offset = match (&table.offset, period, place) {
            (Some(value), Some(period), Some(place)) => {
                Some(frame::first_offset(self.report, value, period, place)?)
            }
            _ => None,
        };
        let device = self.device(&table.device.get().0);
        Some(PhysicalIo { device, duration: duration?, offset, task: task? })
    }

    fn device(&mut self, name: &str) -> usize {
        let devices = &mut self.system.io.devices;
        devices.iter().position(|it| it == name).unwrap_or_else(|| {
            devices.push(name.to_owned());
            devices.len() - 1
        })
    }

    /// Checks a task of the I/O core: it has the application's period, and a window of its own.
    fn check_device_task(
        &mut self,
        name: &Spanned<Name>,
        task: usize,
        application: &Spanned<Name>,
        period: Option<Nanos>,
    ) {
        if self.has_frame(task) {
            let message = format!("the core of task `{}` is divided into windows", name.get().0);
            let help = "let the tasks of devices run on a core without a frame: the I/O core";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            self.report.add(problem.at(name.span(), "on a core with a frame"));
            return;
        }
        self.check_deadline(name, task);
        if period.is_some() && self.period(task) != period {
            let application = &application.get().0;
            let message =
                format!("the task `{}` has not the period of `{application}`", name.get().0);
            let help = "give all tasks of a transaction the same period";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            let place = self.file.task[task].period.as_ref().map_or(name.span(), Spanned::span);
            self.report
                .add(problem.at(place, "this period").at(name.span(), "part of a transaction"));
        }
    }
}
