// SPDX-License-Identifier: Apache-2.0
// A hart's page: its registers, the command that it has submitted, and what it has taken. Where an access and the end of a
// service meet in a clock, the access is first.
module rtu_page (
    input  logic           clock,
    input  logic           clear,
    // Accesses of the hart.
    input  logic           store_command,
    input  logic           store_argument,
    input  logic           store_until,
    input  logic           read_answer,
    input  logic [63:0]    value,
    // The end of the service of this page; `ignored`: the caller was not taken.
    input  logic           served,
    input  logic           ignored,
    // What the hart should run, and the result for it, which is valid while the page is accessed.
    input  logic [7:0]     next,
    input  logic [63:0]    next_value,
    output logic           waits,          // a command waits for its service, also one that arrives in this clock
    output unit::command_t command,
    output logic [63:0]    argument,
    output logic [63:0]    until_time,
    output logic           busy,
    output logic           turn,
    output logic [2:0]     fault,          // why a command was ignored, until a read takes it
    output logic [7:0]     taken,
    output logic [63:0]    taken_value,
    output logic           overrun,        // a command is ignored in this clock, as another one is under way
    output logic           interrupt
);
  logic [63:0] next_argument, next_until;
  logic        unread;                     // the answer to a command has not been taken yet

  assign waits = (busy || store_command) && !served;
  assign overrun = store_command && busy;
  // Who has submitted a command will read the answer, and needs no interrupt.
  assign interrupt = !busy && !unread && next != taken;

  always_ff @(posedge clock) begin
    if (clear) begin
      next_argument <= '0;
      next_until <= '0;
    end else begin
      if (store_argument) next_argument <= value;
      if (store_until) next_until <= value;
    end
    if (store_command && !busy) begin
      command <= value;
      argument <= next_argument;
      until_time <= next_until;
    end
  end

  always_ff @(posedge clock) begin
    if (clear) begin
      busy <= 1'b0;
      turn <= 1'b0;
      unread <= 1'b0;
      fault <= unit::DONE;
      taken <= '0;
      taken_value <= '0;
    end else begin
      if (store_command) busy <= 1'b1;
      if (overrun) fault <= unit::BUSY;
      if (read_answer && !busy) begin
        taken <= next;
        taken_value <= next_value;
        unread <= 1'b0;
        fault <= unit::DONE;
      end
      if (served) begin
        busy <= 1'b0;
        turn <= command.turn;
        unread <= 1'b1;
        if (ignored) fault <= unit::NOT_TAKEN;
      end
    end
  end
endmodule
