// SPDX-License-Identifier: Apache-2.0
// The machine of states that serves one command, or one wake time that has come, after the other. All tables are its own.
// A service takes a clock for FETCH, one for each entry that is written and each row that is searched, and COMMIT:
// docs/design/placements.md has the sums.
module rtu_service #(
    parameter int unsigned TASKS = 64,
    parameter int unsigned HARTS = 8,
    parameter int unsigned SEMAPHORES = 64,
    parameter int unsigned QUEUES = 16,
    parameter int unsigned MESSAGES = 16,
    parameter int unsigned LANES = 8
) (
    input  logic               clock,
    input  logic               clear,
    input  logic               step,
    input  logic [63:0]        mtime,
    input  logic               enabled,         // with what a store of this clock makes of it
    input  logic               control,         // CONTROL is stored in this clock
    // The pages, of which `page` is served.
    input  logic [HARTS-1:0]   waits,
    output logic [3:0]         page,
    input  unit::command_t     command,
    input  logic [63:0]        argument,
    input  logic [63:0]        until_time,
    input  logic [7:0]         taken,
    output logic [HARTS-1:0]   served,
    output logic               ignored,
    output logic [HARTS*8-1:0] next,
    // A result, for a page that is read.
    input  logic [7:0]         read_id,
    input  logic [3:0]         read_hart,
    output unit::result_t      result,
    output logic               job,
    // A service ends that counts, and the clocks that it took.
    output logic               counts,
    output logic [15:0]        clocks,
    output logic               working,
    output logic [7:0]         earliest_id,
    output logic [63:0]        earliest
);
  localparam int unsigned WIDTH = unit::TASK_BITS;
  localparam logic [9:0] LAST_TASK_ROW = 10'(TASKS / LANES - 1);
  localparam logic [9:0] LAST_PLACE_ROW = 10'(MESSAGES / LANES - 1);

  // ---- registers -----------------------------------------------------------------------------------------------------

  logic [3:0]  state, state_then;
  logic        waking;                          // the service is a wake time's
  logic        was_enabled;                     // when it began
  logic [15:0] earlier_clocks;
  logic [47:0] order;                           // the next order of arrival
  logic [2:0]  search;                          // which search SEARCH is
  logic [9:0]  row;
  logic [3:0]  hart;                            // whose first ready task is searched
  logic [5:0]  level;                           // of YIELD, and of the message of a sender that waited
  logic [7:0]  receiver;                        // the task that the queue's messages raise
  logic [9:0]  freed;                           // the place of the message that was received
  logic        refused;                         // the caller was not taken
  logic        answers;                         // the caller goes on, and gets a result
  logic        again;                           // a job that was counted begins
  unit::result_t outcome;                       // of the caller

  // ---- what is read --------------------------------------------------------------------------------------------------

  logic [4:0]              op;
  logic [7:0]              id;                  // the task whose entry is read and written
  logic [7:0]              subject;             // the task that the command concerns
  logic [9:0]              object, queue_id, place, free;
  logic [TASKS:0]          created, ready;
  logic [LANES*WIDTH-1:0]  lanes;
  logic [LANES-1:0]        there, occupied, task_hits, hits;
  logic [LANES*64-1:0]     task_keys, keys;
  logic [LANES*54-1:0]     place_keys;
  unit::task_t             entry, entry_then;
  unit::semaphore_t        semaphore_entry, semaphore_then;
  unit::queue_t            queue_entry, queue_then;
  logic                    semaphore_created, queue_created;
  logic                    found, was_found;
  logic [9:0]              index, was_index;
  logic [63:0]             key, was_key, word;
  logic [7:0]              found_id;            // the task that the last search found
  logic [HARTS*8-1:0]      first;
  logic                    was_first;           // the task is the first ready one of its hart

  assign op = waking ? unit::NOP : command.op;
  assign found_id = was_index[7:0] + 8'd1;
  assign was_first = first[32'(entry.core)*8+:8] == id;

  always_comb begin
    case (op)
      unit::CREATE_TASK, unit::START, unit::WAKE, unit::SET_PRIORITY: subject = command.immediate[7:0];
      unit::CREATE_QUEUE: subject = argument[31:24];
      default: subject = waking ? earliest_id : command.caller;
    endcase
    id = subject;
    case (state)
      unit::WRITE:
      if (op == unit::YIELD) id = found_id;
      else if (op == unit::SEND || op == unit::SEND_LONG) id = receiver;
      unit::RESUME: if (!waking && op != unit::WAKE) id = found_id;
      unit::RAISE: id = receiver;
      default: ;
    endcase
  end

  // The object of the command, or what a task waits for whose time has come; the queue that raises the task.
  assign object = waking ? entry.object : command.object;
  assign queue_id = op == unit::END || op == unit::SET_PRIORITY ? entry.raised_by : object;

  // ---- the first clock -----------------------------------------------------------------------------------------------

  logic [2:0] error, check_search;
  logic [3:0] check_then;
  logic       subject_created, may_call;
  assign subject_created = 32'(subject) <= TASKS && created[subject[$clog2(TASKS+1)-1:0]];
  assign may_call = command.caller == '0 || (command.caller == taken && ready[taken[$clog2(TASKS+1)-1:0]]);

  rtu_check #(
      .TASKS(TASKS),
      .HARTS(HARTS),
      .SEMAPHORES(SEMAPHORES),
      .QUEUES(QUEUES),
      .MESSAGES(MESSAGES)
  ) check (
      .command,
      .argument,
      .enabled(was_enabled),
      .subject_created,
      .subject(entry),
      .semaphore_created,
      .semaphore_entry,
      .queue_created,
      .queue_entry,
      .error,
      .then_state(check_then),
      .search(check_search)
  );

  // ---- tables --------------------------------------------------------------------------------------------------------

  logic write_task, write_semaphore, write_queue;
  rtu_change change (
      .state,
      .op,
      .command,
      .argument,
      .until_time,
      .order,
      .receiver,
      .id,
      .found(was_found),
      .found_level(was_key[53:48]),
      .sender_level(level),
      .entry,
      .semaphore_entry,
      .queue_entry,
      .write_task,
      .entry_then,
      .write_semaphore,
      .semaphore_then,
      .write_queue,
      .queue_then
  );

  rtu_tasks #(
      .TASKS(TASKS),
      .LANES(LANES)
  ) tasks (
      .clock,
      .clear,
      .searching(state == unit::SEARCH && search != unit::PLACE),
      .row(row[7:0]),
      .read_id(id),
      .lanes,
      .there,
      .entry,
      .write(step && write_task),
      .create(op == unit::CREATE_TASK),
      .write_id(id),
      .write_entry(entry_then),
      .created,
      .ready
  );

  rtu_semaphores #(
      .SEMAPHORES(SEMAPHORES)
  ) semaphores (
      .clock,
      .clear,
      .id(object),
      .created(semaphore_created),
      .entry(semaphore_entry),
      .write(step && write_semaphore),
      .write_entry(semaphore_then)
  );

  logic sends_now, receives_now, puts_now, sender_resumes;
  assign sends_now = state == unit::WRITE && (op == unit::SEND || op == unit::SEND_LONG);
  assign receives_now = state == unit::WRITE && op == unit::RECEIVE;
  assign sender_resumes = state == unit::RESUME && op == unit::RECEIVE;
  assign puts_now = state == unit::PUT;
  assign place = sends_now ? free : receives_now ? was_index : freed;

  logic [63:0] sent;
  assign sent = op == unit::SEND_LONG ? argument : {{32{command.immediate[31]}}, command.immediate};

  rtu_queues #(
      .QUEUES(QUEUES),
      .MESSAGES(MESSAGES),
      .LANES(LANES)
  ) queues (
      .clock,
      .clear,
      .id(queue_id),
      .created(queue_created),
      .entry(queue_entry),
      .write(step && write_queue),
      .create(step && state == unit::WRITE && op == unit::CREATE_QUEUE),
      .write_entry(queue_then),
      .row,
      .occupied,
      .keys(place_keys),
      .free,
      .place,
      .put_key(step && (sends_now || puts_now)),
      .put_word(step && (sends_now || sender_resumes)),
      .remove(step && receives_now),
      .put_key_value({puts_now ? level : command.level, order}),
      .put_word_value(sender_resumes ? entry.sends_word : sent),
      .word
  );

  // ---- searches ------------------------------------------------------------------------------------------------------

  logic [2:0] waiting_state;
  assign waiting_state = op == unit::GIVE ? unit::TAKING : op == unit::RECEIVE ? unit::SENDING : unit::RECEIVING;

  rtu_match #(
      .LANES(LANES)
  ) match (
      .search,
      .lanes,
      .there,
      .hart,
      .level,
      .state(waiting_state),
      .object(command.object),
      .hits(task_hits),
      .keys(task_keys)
  );

  always_comb begin
    hits = task_hits;
    keys = task_keys;
    if (search == unit::PLACE) begin
      hits = occupied;
      for (int unsigned lane = 0; lane < LANES; lane++) keys[lane*64+:64] = {10'd0, place_keys[lane*54+:54]};
    end
  end

  rtu_search #(
      .LANES(LANES)
  ) comparators (
      .clock,
      .step(step && state == unit::SEARCH),
      .begins(row == '0),
      .row,
      .hits,
      .keys,
      .found,
      .index,
      .key,
      .was_found,
      .was_index,
      .was_key
  );

  logic last_row;
  assign last_row = row == (search == unit::PLACE ? LAST_PLACE_ROW : LAST_TASK_ROW);

  // ---- what becomes first, what is earliest --------------------------------------------------------------------------

  logic ends_search, becomes_ready;
  assign ends_search = state == unit::SEARCH && last_row;
  // A task that is written becomes ready or rises, and no search says who is first. A task that yields or releases was
  // not first, or a search follows.
  assign becomes_ready = write_task && entry_then.state == unit::READY && !(op == unit::YIELD || op == unit::RELEASE)
      && !(op == unit::SET_PRIORITY && was_first);

  rtu_ready #(
      .HARTS(HARTS)
  ) ready_tasks (
      .clock,
      .clear,
      .step,
      .offers(becomes_ready),
      .replaces(ends_search && search == unit::FIRST),
      .hart(ends_search ? hart : entry.core),
      .id(!ends_search ? id : found ? index[7:0] + 8'd1 : 8'd0),
      .level(ends_search ? key[53:48] : entry_then.level),
      .order(ends_search ? key[47:0] : entry_then.order),
      .publish((step && state == unit::COMMIT) || (control && state == unit::IDLE)),
      .enabled,
      .first,
      .next
  );

  rtu_delay delay (
      .clock,
      .clear,
      .step,
      .offers(state == unit::BLOCK && entry_then.timed),
      .replaces(ends_search && search == unit::EARLIEST),
      .id(!ends_search ? id : found ? index[7:0] + 8'd1 : 8'd0),
      .wake(ends_search ? key : entry_then.wake),
      .earliest_id,
      .earliest
  );

  // ---- results -------------------------------------------------------------------------------------------------------

  logic          begins_job, write_result;
  logic [7:0]    result_id;
  unit::result_t result_then;

  always_comb begin
    // Of a task that is no hart's: nobody reads it before COMMIT.
    begins_job = state == unit::WRITE && op == unit::START && entry.state == unit::DORMANT;
    write_result = begins_job || state == unit::RESUME || (state == unit::WRITE && op == unit::CREATE_TASK);
    result_id = id;
    result_then = '0;
    if (state == unit::RESUME && waking && entry.state != unit::DELAYED) result_then.error = unit::TIMEOUT;
    if (state == unit::RESUME && (op == unit::SEND || op == unit::SEND_LONG)) begin
      result_then.level = command.level;
      result_then.value = sent;
    end
    if (state == unit::COMMIT && !waking && !refused) begin
      begins_job = again;
      write_result = answers || again;
      result_id = command.caller;
      if (!again) result_then = outcome;
    end
  end

  rtu_results #(
      .TASKS(TASKS),
      .HARTS(HARTS)
  ) results (
      .clock,
      .clear,
      .read_id,
      .read_hart,
      .result,
      .job,
      .write(step && write_result),
      .begins_job(step && begins_job),
      .write_id(result_id),
      .write_hart(page),
      .write_result(result_then)
  );

  // ---- services ------------------------------------------------------------------------------------------------------

  logic       begins, begins_wake;
  logic [3:0] begins_page;
  rtu_arbiter #(
      .HARTS(HARTS)
  ) arbiter (
      .clock,
      .clear,
      .free(step && (state == unit::IDLE || state == unit::COMMIT)),
      .waits,
      .due(enabled && earliest_id != '0 && mtime >= earliest),
      .begins,
      .wakes(begins_wake),
      .page(begins_page)
  );

  logic was_earliest;
  assign was_earliest = earliest_id == (state == unit::PUT ? found_id : id);

  always_comb begin
    state_then = unit::COMMIT;
    case (state)
      unit::FETCH:
      if (waking) state_then = unit::RESUME;
      else if (may_call && error == unit::DONE) state_then = check_then;
      unit::SEARCH:
      if (!last_row) state_then = unit::SEARCH;
      else
        case (search)
          unit::PLACE: state_then = unit::WRITE;
          unit::WAITER: state_then = unit::RESUME;
          unit::EQUAL: if (found) state_then = unit::WRITE;
          unit::FIRST: if (again) state_then = unit::AGAIN;
          default: ;
        endcase
      unit::WRITE:
      case (op)
        unit::END: state_then = unit::SEARCH;
        unit::YIELD, unit::SET_PRIORITY: if (was_first) state_then = unit::SEARCH;
        unit::RELEASE: if (was_first && entry_then.level != entry.level) state_then = unit::SEARCH;
        unit::SEND, unit::SEND_LONG:
        if (receiver != '0 && command.level < entry.level) state_then = unit::RAISE;
        unit::RECEIVE: if (queue_entry.waiters != '0) state_then = unit::SEARCH;
        default: ;
      endcase
      unit::BLOCK: state_then = unit::SEARCH;
      unit::RESUME:
      if (sender_resumes) state_then = unit::PUT;
      else if (was_earliest) state_then = unit::SEARCH;
      unit::PUT: if (was_earliest) state_then = unit::SEARCH;
      default: ;
    endcase
  end

  always_ff @(posedge clock) begin
    if (clear) begin
      state <= unit::IDLE;
      order <= 48'd0;
    end else if (begins) begin
      state <= unit::FETCH;
      waking <= begins_wake;
      was_enabled <= enabled;
      page <= begins_page;
      earlier_clocks <= '0;
    end else if (step && state == unit::COMMIT) begin
      state <= unit::IDLE;
    end else if (step && state != unit::IDLE) begin
      state <= state_then;
      earlier_clocks <= clocks;
      row <= state == unit::SEARCH && !last_row ? row + 10'd1 : '0;
      if (state != unit::FETCH && state != unit::SEARCH) order <= order + 48'd1;
    end
  end

  always_ff @(posedge clock) begin
    if (step) begin
      case (state)
        unit::FETCH: begin
          search <= check_search;
          hart <= op == unit::SET_PRIORITY ? entry.core : page;
          level <= command.immediate == '0 ? command.level : entry.base;
          receiver <= queue_entry.receiver;
          refused <= !may_call;
          answers <= 1'b1;
          again <= 1'b0;
          outcome <= '0;
          outcome.error <= error;
        end
        unit::WRITE: begin
          search <= op == unit::RECEIVE ? unit::WAITER : unit::FIRST;
          if (op == unit::END) begin
            answers <= 1'b0;
            again <= entry.activations != '0;
          end
          if (op == unit::RECEIVE) begin
            freed <= was_index;
            outcome.level <= was_key[53:48];
            outcome.value <= word;
          end
        end
        unit::BLOCK: begin
          search <= unit::FIRST;
          answers <= 1'b0;
        end
        unit::RESUME: begin
          search <= unit::EARLIEST;
          level <= entry.sends_level;
        end
        default: ;
      endcase
    end
  end

  assign clocks = earlier_clocks + 16'd1;
  assign ignored = refused;
  assign counts = step && state == unit::COMMIT && !waking && !refused;
  assign working = state != unit::IDLE;
  always_comb begin
    for (int unsigned h = 0; h < HARTS; h++) served[h] = step && state == unit::COMMIT && !waking && 32'(page) == h;
  end
endmodule
