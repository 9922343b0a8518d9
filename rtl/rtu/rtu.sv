// SPDX-License-Identifier: Apache-2.0
// A kernel's tables in hardware: tasks, semaphores, priority data queues and time. Harts give it commands, each in a page
// of its own, and it decides what each of them should run. docs/design/placements.md, section 4, is its interface.
//
// `clock` is the bus's. The services advance in those clocks in which `step` is high: the unit's own, slower clock, or
// every one. An access takes one clock, and its answer is there in that clock. Where both meet, the access is first.
module rtu #(
    parameter int unsigned HARTS = 8,           // 1 to 16
    parameter int unsigned TASKS = 64,          // a multiple of LANES, at most 248
    parameter int unsigned SEMAPHORES = 64,     // at most 1,023
    parameter int unsigned QUEUES = 16,         // at most 1,023
    parameter int unsigned MESSAGES = 16,       // places of each queue, a multiple of LANES, at most 1,024
    parameter int unsigned LANES = 8            // entries that a search compares in a clock, a power of two
) (
    input  logic             clock,
    input  logic             reset,
    input  logic             step,
    input  logic [63:0]      mtime,             // the time, in ticks of the machine's clock
    // The bus.
    input  logic             access,
    input  logic             write,
    input  logic [1:0]       size,              // log2 of the bytes
    input  logic [16:0]      offset,
    input  logic [63:0]      value,
    output logic [63:0]      answer,            // of a read
    output logic             refused,           // there is no such register, or not of this width
    output logic [HARTS-1:0] interrupts,
    // Without work nothing changes before the earliest wake time, so the clock may stand still.
    output logic             working,
    output logic             wakes,
    output logic [63:0]      earliest
);
  // The page for all.
  localparam logic [11:0] IDENTITY = 12'h00;
  localparam logic [11:0] SIZES = 12'h08;
  localparam logic [11:0] TIME = 12'h10;
  localparam logic [11:0] CONTROL = 12'h18;
  localparam logic [11:0] SERVED = 12'h20;
  localparam logic [11:0] LONGEST = 12'h28;
  localparam logic [11:0] IGNORED = 12'h30;
  // A hart's page.
  localparam logic [11:0] COMMAND = 12'h00;
  localparam logic [11:0] ARGUMENT = 12'h08;
  localparam logic [11:0] UNTIL = 12'h10;
  localparam logic [11:0] ANSWER = 12'h18;
  localparam logic [11:0] LOOK = 12'h20;
  localparam logic [11:0] VALUE = 12'h28;

  // ---- the bus -------------------------------------------------------------------------------------------------------

  logic        for_all, for_hart, stores, loads, control, clear, enabled, enabled_then;
  logic [3:0]  hart;
  logic [11:0] register_offset;

  assign register_offset = offset[11:0];
  assign hart = offset[15:12] - 4'd1;
  assign for_all = offset[16:12] == 5'd0;
  assign for_hart = !for_all && 32'(offset[16:12]) <= HARTS;
  assign stores = access && write && !refused;
  assign loads = access && !write && !refused;
  assign control = stores && for_all;
  assign clear = reset || (control && value[1]);
  assign enabled_then = control ? value[0] : enabled;

  always_comb begin
    refused = 1'b1;
    if (size == 2'd3 && for_all) refused = write ? register_offset != CONTROL : register_offset > IGNORED;
    if (size == 2'd3 && for_hart) refused = write ? register_offset > UNTIL : register_offset < ANSWER || register_offset > VALUE;
    if (offset[2:0] != 3'd0) refused = 1'b1;
  end

  always_ff @(posedge clock) begin
    if (reset) enabled <= 1'b0;
    else enabled <= enabled_then;
  end

  // ---- pages ---------------------------------------------------------------------------------------------------------

  logic [HARTS-1:0]    waits, busy, turns, overruns, served;
  logic [HARTS*64-1:0] commands, arguments, untils, taken_values;
  logic [HARTS*8-1:0]  next, taken;
  logic [HARTS*3-1:0]  faults;
  logic                ignored, counts, job, service;
  logic [15:0]         clocks;
  logic [3:0]          page;
  logic [7:0]          earliest_id;
  unit::result_t       result;

  for (genvar h = 0; h < HARTS; h++) begin : pages
    logic mine;
    assign mine = for_hart && hart == 4'(h);

    rtu_page of_hart (
        .clock,
        .clear,
        .store_command(stores && mine && register_offset == COMMAND),
        .store_argument(stores && mine && register_offset == ARGUMENT),
        .store_until(stores && mine && register_offset == UNTIL),
        .read_answer(loads && mine && register_offset == ANSWER),
        .value,
        .served(served[h]),
        .ignored,
        .next(next[h*8+:8]),
        .next_value(result.value),
        .waits(waits[h]),
        .command(commands[h*64+:64]),
        .argument(arguments[h*64+:64]),
        .until_time(untils[h*64+:64]),
        .busy(busy[h]),
        .turn(turns[h]),
        .fault(faults[h*3+:3]),
        .taken(taken[h*8+:8]),
        .taken_value(taken_values[h*64+:64]),
        .overrun(overruns[h]),
        .interrupt(interrupts[h])
    );
  end

  // ---- services ------------------------------------------------------------------------------------------------------

  rtu_service #(
      .TASKS(TASKS),
      .HARTS(HARTS),
      .SEMAPHORES(SEMAPHORES),
      .QUEUES(QUEUES),
      .MESSAGES(MESSAGES),
      .LANES(LANES)
  ) services (
      .clock,
      .clear,
      .step,
      .mtime,
      .enabled(enabled_then),
      .control,
      .waits,
      .page,
      .command(commands[32'(page)*64+:64]),
      .argument(arguments[32'(page)*64+:64]),
      .until_time(untils[32'(page)*64+:64]),
      .taken(taken[32'(page)*8+:8]),
      .served,
      .ignored,
      .next,
      .read_id(next[32'(hart)*8+:8]),
      .read_hart(hart),
      .result,
      .job,
      .counts,
      .clocks,
      .working(service),
      .earliest_id,
      .earliest
  );

  assign working = service || busy != '0;
  assign wakes = enabled && earliest_id != 8'd0;

  // ---- counts and answers --------------------------------------------------------------------------------------------

  logic [31:0] served_count, ignored_count;
  logic [15:0] longest;
  logic        not_taken;
  assign not_taken = served != '0 && ignored;

  always_ff @(posedge clock) begin
    if (clear) begin
      served_count <= '0;
      ignored_count <= '0;
      longest <= '0;
    end else begin
      if (counts) served_count <= served_count + 32'd1;
      if (counts && clocks > longest) longest <= clocks;
      ignored_count <= ignored_count + 32'(overruns != '0) + 32'(not_taken);
    end
  end

  logic       long;
  logic [2:0] fault, error;
  assign fault = faults[32'(hart)*3+:3];
  assign error = fault != unit::DONE ? fault : result.error;
  assign long = result.value[63:32] != {32{result.value[31]}};

  always_comb begin
    answer = '0;
    if (for_all) begin
      case (register_offset)
        IDENTITY: answer = {16'd0, 8'(HARTS), 8'd1, 32'h3155_5452};
        SIZES: answer = {16'(MESSAGES), 16'(QUEUES), 16'(SEMAPHORES), 16'(TASKS)};
        TIME: answer = mtime;
        CONTROL: answer = 64'(enabled);
        SERVED: answer = 64'(served_count);
        LONGEST: answer = 64'(longest);
        IGNORED: answer = 64'(ignored_count);
        default: ;
      endcase
    end else begin
      case (register_offset)
        ANSWER, LOOK:
        answer = {result.value[31:0], 2'd0, result.level, next[32'(hart)*8+:8], 5'd0, error, 2'd0, turns[32'(hart)+:1], 2'd0,
            job, long, busy[32'(hart)+:1]};
        VALUE: answer = taken_values[32'(hart)*64+:64];
        default: ;
      endcase
    end
  end
endmodule
