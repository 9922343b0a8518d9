// SPDX-License-Identifier: Apache-2.0
// The words of the unit: operations, errors, states, and the entries of its tables. The interface is section 4 of
// docs/design/placements.md. Yosys 0.23 reads no `import`, so each use names the package.
package unit;
  localparam logic [4:0] NOP = 5'd0;
  localparam logic [4:0] CREATE_TASK = 5'd1;
  localparam logic [4:0] CREATE_SEMAPHORE = 5'd2;
  localparam logic [4:0] CREATE_QUEUE = 5'd3;
  localparam logic [4:0] START = 5'd4;
  localparam logic [4:0] WAKE = 5'd5;
  localparam logic [4:0] END = 5'd6;
  localparam logic [4:0] DELAY = 5'd7;
  localparam logic [4:0] SLEEP = 5'd8;
  localparam logic [4:0] YIELD = 5'd9;
  localparam logic [4:0] SET_PRIORITY = 5'd10;
  localparam logic [4:0] TAKE = 5'd11;
  localparam logic [4:0] GIVE = 5'd12;
  localparam logic [4:0] SEND = 5'd13;
  localparam logic [4:0] SEND_LONG = 5'd14;
  localparam logic [4:0] RECEIVE = 5'd15;
  localparam logic [4:0] RELEASE = 5'd16;

  localparam logic [2:0] DONE = 3'd0;
  localparam logic [2:0] TIMEOUT = 3'd1;       // the time of a wait has come, or the caller may not wait
  localparam logic [2:0] OVERFLOW = 3'd2;      // a count is at its maximum
  localparam logic [2:0] WRONG_STATE = 3'd3;
  localparam logic [2:0] NO_SUCH = 3'd4;       // no such object, operation or priority
  localparam logic [2:0] BUSY = 3'd5;          // a command came while another one of the page was under way
  localparam logic [2:0] NOT_TAKEN = 3'd6;     // the caller is not the task that the hart has taken, or is not ready

  // States of a task.
  localparam logic [2:0] DORMANT = 3'd0;       // the task has no job
  localparam logic [2:0] READY = 3'd1;
  localparam logic [2:0] DELAYED = 3'd2;
  localparam logic [2:0] ASLEEP = 3'd3;
  localparam logic [2:0] TAKING = 3'd4;        // the task waits for a semaphore
  localparam logic [2:0] SENDING = 3'd5;       // the task waits for a place of a queue
  localparam logic [2:0] RECEIVING = 3'd6;     // the task waits for a message of a queue

  // What a search looks for.
  localparam logic [2:0] PLACE = 3'd0;         // the first message of a queue
  localparam logic [2:0] WAITER = 3'd1;        // the first task that waits for an object
  localparam logic [2:0] EQUAL = 3'd2;         // the first ready task of a hart and a priority
  localparam logic [2:0] FIRST = 3'd3;         // the first ready task of a hart
  localparam logic [2:0] EARLIEST = 3'd4;      // the task with the earliest wake time

  // Clocks of a service, in this order; docs/design/placements.md says which command has which.
  localparam logic [3:0] IDLE = 4'd0;
  localparam logic [3:0] FETCH = 4'd1;         // the command is read and checked
  localparam logic [3:0] SEARCH = 4'd2;        // one row of a table is compared
  localparam logic [3:0] WRITE = 4'd3;         // the command's own entries are written
  localparam logic [3:0] BLOCK = 4'd4;         // the caller begins to wait
  localparam logic [3:0] RESUME = 4'd5;        // a wait ends
  localparam logic [3:0] PUT = 4'd6;           // the message of a sender that waited gets the place
  localparam logic [3:0] RAISE = 4'd7;         // a message raises its receiver
  localparam logic [3:0] AGAIN = 4'd8;         // a job that was counted begins
  localparam logic [3:0] COMMIT = 4'd9;        // answers and wires change at the end of this clock

  // A priority is a level here, one less than its number: 0 is the highest.
  typedef struct packed {
    logic [31:0] immediate;
    logic [7:0]  caller;
    logic [9:0]  object;
    logic [5:0]  level;
    logic [1:0]  waits;                        // 0: not at all; 1: until the time in UNTIL; else for ever
    logic        turn;
    logic [4:0]  op;
  } command_t;

  // The result of a task's last call.
  typedef struct packed {
    logic [2:0]  error;
    logic [5:0]  level;                        // of the message that was received
    logic [63:0] value;
  } result_t;

  typedef struct packed {
    logic [3:0]  core;
    logic [5:0]  first_base;                   // the level with which the task was created
    logic [5:0]  base;                         // the level without messages
    logic [5:0]  level;                        // what counts: the highest of base and of the messages for the task
    logic [15:0] activations_max;
    logic [15:0] activations;
    logic [7:0]  wakeups;
    logic [2:0]  state;
    logic [9:0]  object;                       // what the task waits for
    logic        by_level;                     // whether it is served there by level
    logic [47:0] order;                        // of the arrival in that state
    logic        timed;                        // the wait has a wake time
    logic [63:0] wake;
    logic [9:0]  raised_by;                    // the queue whose messages raise the task; 0: none
    logic        holds;                        // the task has received a message there and not released it
    logic [5:0]  sends_level;
    logic [63:0] sends_word;                   // what it waits to send
  } task_t;

  typedef struct packed {
    logic        by_level;
    logic [30:0] count;
    logic [30:0] maximum;
    logic [7:0]  waiters;
  } semaphore_t;

  typedef struct packed {
    logic        by_level;                     // whether senders are served by level
    logic [10:0] places;
    logic [10:0] count;
    logic [7:0]  waiters;                      // receivers while the queue is empty, senders while it is full
    logic [7:0]  receiver;                     // the task that its messages raise; 0: none
    logic        lifts;                        // there is a message, in a place or held
    logic [5:0]  lift;                         // the highest level among these
  } queue_t;

  // Yosys 0.23 knows no size of a type; Verilator reports a wrong one.
  localparam int unsigned RESULT_BITS = 73;
  localparam int unsigned TASK_BITS = 270;
  localparam int unsigned SEMAPHORE_BITS = 71;
  localparam int unsigned QUEUE_BITS = 46;

  // The higher one of a level and of a queue's messages.
  function automatic logic [5:0] raised(input logic [5:0] level, input logic lifts, input logic [5:0] lift);
    raised = lifts && lift < level ? lift : level;
  endfunction
endpackage
