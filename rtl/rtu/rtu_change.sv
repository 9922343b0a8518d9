// SPDX-License-Identifier: Apache-2.0
// What the writing clocks of a service make of the entries. All is computed from the entries as they are.
module rtu_change (
    input  logic [3:0]       state,
    input  logic [4:0]       op,
    input  unit::command_t   command,
    input  logic [63:0]      argument,
    input  logic [63:0]      until_time,
    input  logic [47:0]      order,            // the next order of arrival
    input  logic [7:0]       receiver,         // the task that the queue's messages raise; 0: none
    input  logic [7:0]       id,               // of the task whose entry this is
    input  logic             found,            // the result of the last search
    input  logic [5:0]       found_level,
    input  logic [5:0]       sender_level,     // of the message of a sender that waited
    input  unit::task_t      entry,
    input  unit::semaphore_t semaphore_entry,
    input  unit::queue_t     queue_entry,
    output logic             write_task,
    output unit::task_t      entry_then,
    output logic             write_semaphore,
    output unit::semaphore_t semaphore_then,
    output logic             write_queue,
    output unit::queue_t     queue_then
);
  logic sends;
  assign sends = op == unit::SEND || op == unit::SEND_LONG;

  // The word that is sent.
  logic [63:0] word;
  assign word = op == unit::SEND_LONG ? argument : {{32{command.immediate[31]}}, command.immediate};

  always_comb begin
    write_task = 1'b0;
    write_semaphore = 1'b0;
    write_queue = 1'b0;
    entry_then = entry;
    semaphore_then = semaphore_entry;
    queue_then = queue_entry;
    case (state)
      unit::WRITE:
      case (op)
        unit::CREATE_TASK: begin
          write_task = 1'b1;
          entry_then = '0;
          entry_then.core = argument[3:0];
          entry_then.first_base = argument[13:8];
          entry_then.base = argument[13:8];
          entry_then.level = argument[13:8];
          entry_then.activations_max = argument[31:16];
        end
        unit::CREATE_SEMAPHORE: begin
          write_semaphore = 1'b1;
          semaphore_then = {argument[63], argument[30:0], argument[62:32], 8'd0};
        end
        unit::CREATE_QUEUE: begin
          write_queue = 1'b1;
          queue_then = '0;
          queue_then.by_level = argument[16];
          queue_then.places = argument[10:0];
          queue_then.receiver = argument[31:24];
          write_task = argument[31:24] != '0;
          entry_then.raised_by = command.object;
        end
        unit::START: begin
          write_task = 1'b1;
          if (entry.state == unit::DORMANT) begin
            entry_then.state = unit::READY;
            entry_then.order = order;
          end else begin
            entry_then.activations = entry.activations + 16'd1;
          end
        end
        unit::WAKE: begin
          write_task = 1'b1;
          entry_then.wakeups = entry.wakeups + 8'd1;
        end
        unit::END: begin
          write_task = 1'b1;
          entry_then.state = unit::DORMANT;
          entry_then.base = entry.first_base;
          entry_then.wakeups = '0;
          entry_then.holds = 1'b0;
          if (entry.holds) begin
            write_queue = 1'b1;
            queue_then.lifts = found;
            queue_then.lift = found_level;
          end
          entry_then.level = unit::raised(entry.first_base, entry.raised_by != '0 && queue_then.lifts, queue_then.lift);
        end
        unit::SLEEP: begin
          write_task = 1'b1;
          entry_then.wakeups = entry.wakeups - 8'd1;
        end
        unit::YIELD: begin
          write_task = 1'b1;
          entry_then.order = order;
        end
        unit::SET_PRIORITY: begin
          write_task = 1'b1;
          entry_then.base = command.level;
          entry_then.level = unit::raised(command.level, entry.raised_by != '0 && queue_entry.lifts, queue_entry.lift);
          if (entry.state == unit::READY || entry.by_level) entry_then.order = order;
        end
        unit::TAKE: begin
          write_semaphore = 1'b1;
          semaphore_then.count = semaphore_entry.count - 31'd1;
        end
        unit::GIVE: begin
          write_semaphore = 1'b1;
          semaphore_then.count = semaphore_entry.count + 31'd1;
        end
        unit::SEND, unit::SEND_LONG: begin
          write_queue = 1'b1;
          queue_then.count = queue_entry.count + 11'd1;
          queue_then.lifts = 1'b1;
          queue_then.lift = unit::raised(command.level, queue_entry.lifts, queue_entry.lift);
        end
        unit::RECEIVE: begin
          write_queue = 1'b1;
          queue_then.count = queue_entry.count - 11'd1;
          // The message that is held counts as before, so the priority stays.
          write_task = receiver != '0;
          entry_then.holds = 1'b1;
        end
        unit::RELEASE: begin
          write_task = 1'b1;
          write_queue = 1'b1;
          entry_then.holds = 1'b0;
          queue_then.lifts = found;
          queue_then.lift = found_level;
          entry_then.level = unit::raised(entry.base, found, found_level);
        end
        default: ;
      endcase
      unit::BLOCK: begin
        write_task = 1'b1;
        entry_then.object = command.object;
        entry_then.by_level = 1'b0;
        entry_then.order = order;
        entry_then.timed = op == unit::DELAY || command.waits == 2'd1;
        entry_then.wake = until_time;
        entry_then.sends_level = command.level;
        entry_then.sends_word = word;
        case (op)
          unit::TAKE: begin
            entry_then.state = unit::TAKING;
            entry_then.by_level = semaphore_entry.by_level;
            write_semaphore = 1'b1;
            semaphore_then.waiters = semaphore_entry.waiters + 8'd1;
          end
          unit::SEND, unit::SEND_LONG, unit::RECEIVE: begin
            entry_then.state = sends ? unit::SENDING : unit::RECEIVING;
            entry_then.by_level = sends && queue_entry.by_level;
            write_queue = 1'b1;
            queue_then.waiters = queue_entry.waiters + 8'd1;
          end
          unit::DELAY: entry_then.state = unit::DELAYED;
          default: entry_then.state = unit::ASLEEP;
        endcase
      end
      unit::RESUME: begin
        write_task = 1'b1;
        entry_then.state = unit::READY;
        entry_then.by_level = 1'b0;
        entry_then.order = order;
        entry_then.timed = 1'b0;
        write_semaphore = entry.state == unit::TAKING;
        semaphore_then.waiters = semaphore_entry.waiters - 8'd1;
        write_queue = entry.state == unit::SENDING || entry.state == unit::RECEIVING;
        queue_then.waiters = queue_entry.waiters - 8'd1;
        if (sends && receiver == id) begin
          entry_then.holds = 1'b1;
          entry_then.level = unit::raised(entry.base, 1'b1, command.level);
          queue_then.lifts = 1'b1;
          queue_then.lift = command.level;
        end
      end
      unit::PUT: begin
        write_queue = 1'b1;
        queue_then.count = queue_entry.count + 11'd1;
        queue_then.lifts = 1'b1;
        queue_then.lift = unit::raised(sender_level, queue_entry.lifts, queue_entry.lift);
        write_task = receiver != '0;
        entry_then.level = unit::raised(entry.level, 1'b1, sender_level);
      end
      unit::RAISE: begin
        write_task = 1'b1;
        entry_then.level = command.level;
      end
      unit::AGAIN: begin
        write_task = 1'b1;
        entry_then.state = unit::READY;
        entry_then.order = order;
        entry_then.activations = entry.activations - 16'd1;
      end
      default: ;
    endcase
  end
endmodule
