// SPDX-License-Identifier: Apache-2.0
// The clock FETCH: whether a command can be carried out, and what comes next.
module rtu_check #(
    parameter int unsigned TASKS = 64,
    parameter int unsigned HARTS = 8,
    parameter int unsigned SEMAPHORES = 64,
    parameter int unsigned QUEUES = 16,
    parameter int unsigned MESSAGES = 16
) (
    input  unit::command_t   command,
    input  logic [63:0]      argument,
    input  logic             enabled,
    input  logic             subject_created,   // the task that the command concerns is there
    input  unit::task_t      subject,
    input  logic             semaphore_created,
    input  unit::semaphore_t semaphore_entry,
    input  logic             queue_created,
    input  unit::queue_t     queue_entry,
    output logic [2:0]       error,
    output logic [3:0]       then_state,        // if there is no error
    output logic [2:0]       search             // if that is SEARCH
);
  logic [10:0] places;
  logic        task_number, semaphore_number, queue_number;
  logic [2:0]  wait_error;

  assign task_number = command.immediate != '0 && command.immediate <= TASKS;
  assign semaphore_number = command.object != '0 && 32'(command.object) <= SEMAPHORES;
  assign queue_number = command.object != '0 && 32'(command.object) <= QUEUES;
  assign places = argument[10:0];
  // Whether the caller may wait, and is there.
  assign wait_error = command.waits == 2'd0 ? unit::TIMEOUT : command.caller == '0 ? unit::NO_SUCH : unit::DONE;

  always_comb begin
    error = unit::DONE;
    then_state = unit::WRITE;
    search = unit::PLACE;
    case (command.op)
      unit::NOP: then_state = unit::COMMIT;
      unit::CREATE_TASK:
      if (enabled) error = unit::WRONG_STATE;
      else if (!task_number || 32'(argument[7:0]) >= HARTS) error = unit::NO_SUCH;
      else if (subject_created) error = unit::WRONG_STATE;
      unit::CREATE_SEMAPHORE:
      if (enabled) error = unit::WRONG_STATE;
      else if (!semaphore_number || argument[31:0] > {1'b0, argument[62:32]}) error = unit::NO_SUCH;
      else if (semaphore_created) error = unit::WRONG_STATE;
      unit::CREATE_QUEUE:
      if (enabled) error = unit::WRONG_STATE;
      else if (!queue_number || argument[15:11] != '0 || places == '0 || 32'(places) > MESSAGES) error = unit::NO_SUCH;
      else if (argument[31:24] != '0 && !subject_created) error = unit::NO_SUCH;
      else if (queue_created || (argument[31:24] != '0 && subject.raised_by != '0)) error = unit::WRONG_STATE;
      unit::START:
      if (!task_number || !subject_created) error = unit::NO_SUCH;
      else if (subject.state != unit::DORMANT && subject.activations >= subject.activations_max) error = unit::OVERFLOW;
      unit::WAKE:
      if (!task_number || !subject_created) error = unit::NO_SUCH;
      else if (subject.state == unit::DORMANT) error = unit::WRONG_STATE;
      else if (subject.state == unit::ASLEEP) then_state = unit::RESUME;
      else if (subject.wakeups == 8'd255) error = unit::OVERFLOW;
      unit::END:
      if (command.caller == '0) error = unit::NO_SUCH;
      else if (subject.holds) then_state = unit::SEARCH;
      unit::DELAY:
      if (command.caller == '0) error = unit::NO_SUCH;
      else then_state = unit::BLOCK;
      unit::SLEEP:
      if (command.caller == '0) error = unit::NO_SUCH;
      else if (subject.wakeups == '0) {error, then_state} = {wait_error, unit::BLOCK};
      unit::YIELD: begin
        if (command.immediate > 32'd1 || (command.immediate == 32'd1 && command.caller == '0)) error = unit::NO_SUCH;
        {then_state, search} = {unit::SEARCH, unit::EQUAL};
      end
      unit::SET_PRIORITY:
      if (!task_number || !subject_created) error = unit::NO_SUCH;
      else if (subject.state == unit::DORMANT) error = unit::WRONG_STATE;
      unit::TAKE:
      if (!semaphore_created) error = unit::NO_SUCH;
      else if (semaphore_entry.count == '0) {error, then_state} = {wait_error, unit::BLOCK};
      unit::GIVE:
      if (!semaphore_created) error = unit::NO_SUCH;
      else if (semaphore_entry.waiters != '0) {then_state, search} = {unit::SEARCH, unit::WAITER};
      else if (semaphore_entry.count >= semaphore_entry.maximum) error = unit::OVERFLOW;
      unit::SEND, unit::SEND_LONG:
      if (!queue_created) error = unit::NO_SUCH;
      else if (queue_entry.count == '0 && queue_entry.waiters != '0) {then_state, search} = {unit::SEARCH, unit::WAITER};
      else if (queue_entry.count == queue_entry.places) {error, then_state} = {wait_error, unit::BLOCK};
      unit::RECEIVE:
      if (!queue_created) error = unit::NO_SUCH;
      else if (queue_entry.receiver != '0 && command.caller == '0) error = unit::NO_SUCH;
      else if (queue_entry.receiver != '0 && (queue_entry.receiver != command.caller || subject.holds)) error = unit::WRONG_STATE;
      else if (queue_entry.count == '0) {error, then_state} = {wait_error, unit::BLOCK};
      else then_state = unit::SEARCH;
      unit::RELEASE:
      if (command.caller == '0 || !queue_created) error = unit::NO_SUCH;
      else if (subject.raised_by != command.object || !subject.holds) error = unit::WRONG_STATE;
      else then_state = unit::SEARCH;
      default: error = unit::NO_SUCH;
    endcase
  end
endmodule
