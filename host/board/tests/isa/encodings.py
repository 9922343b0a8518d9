#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes encodings.txt: what the GNU assembler makes of each instruction, with random operands.

A row: the bits, the expected Op, and the fields that are expected, as name=value.
Run it in this folder: ./encodings.py > encodings.txt
"""

import random
import re
import subprocess
import tempfile

random.seed(7)
rows = []  # (assembly, op, fields)


def reg(low=0, high=31):
    return random.randint(low, high)


def add(text, op, **fields):
    rows.append((text, op, fields))


def name(mnemonic):
    return mnemonic.replace(".", "").replace("_", "")


def sink(rd):
    return 32 if rd == 0 else rd


def times(n):
    return range(n)


for m in "add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw mul mulh mulhsu mulhu div divu rem remu mulw divw divuw remw remuw sh1add sh2add sh3add sh1add.uw sh2add.uw sh3add.uw add.uw andn orn xnor max maxu min minu rol ror rolw rorw bclr bext binv bset".split():
    for _ in times(2):
        d, a, b = reg(), reg(), reg()
        add(f"{m} x{d}, x{a}, x{b}", name(m), rd=sink(d), rs1=a, rs2=b)
for m in "addi slti sltiu xori ori andi addiw".split():
    for imm in (-2048, 2047, random.randint(-2000, 2000)):
        d, a = reg(), reg()
        add(f"{m} x{d}, x{a}, {imm}", name(m), rd=sink(d), rs1=a, imm=imm)
for m in "slli srli srai rori slli.uw bclri bexti binvi bseti".split():
    for imm in (1, 63, reg(32, 62)):
        d, a = reg(), reg()
        add(f"{m} x{d}, x{a}, {imm}", name(m), rd=sink(d), rs1=a, imm=imm)
for m in "slliw srliw sraiw roriw".split():
    for imm in (1, 31):
        d, a = reg(), reg()
        add(f"{m} x{d}, x{a}, {imm}", name(m), rd=sink(d), rs1=a, imm=imm)
for m in "clz ctz cpop clzw ctzw cpopw sext.b sext.h zext.h orc.b rev8".split():
    d, a = reg(), reg()
    add(f"{m} x{d}, x{a}", name(m), rd=sink(d), rs1=a)
for m in "lb lh lw ld lbu lhu lwu".split():
    for imm in (-2048, 2047):
        d, a = reg(), reg()
        add(f"{m} x{d}, {imm}(x{a})", name(m), rd=sink(d), rs1=a, imm=imm)
for m in "flw fld".split():
    for d in (0, 31):
        a = reg()
        add(f"{m} f{d}, -8(x{a})", name(m), rd=d, rs1=a, imm=-8)
for m in "sb sh sw sd".split():
    for imm in (-2048, 2047, 21):
        a, b = reg(), reg()
        add(f"{m} x{b}, {imm}(x{a})", name(m), rs1=a, rs2=b, imm=imm)
for m in "fsw fsd".split():
    a, b = reg(), reg()
    add(f"{m} f{b}, -1042(x{a})", name(m), rs1=a, rs2=b, imm=-1042)
for m in "beq bne blt bge bltu bgeu".split():
    for imm in (-4096, 4094, 1366):
        a, b = reg(1), reg(1)
        add(f"{m} x{a}, x{b}, .+({imm})", name(m), rs1=a, rs2=b, imm=imm)
for imm in (-1048576, 1048574, 0x55554):
    add(f"jal x1, .+({imm})", "jal", rd=1, imm=imm)
add("jalr x0, -3(x7)", "jalr", rd=32, rs1=7, imm=-3)
for imm in (0, 0xFFFFF, 0x12345):
    signed = (imm << 12) - (1 << 32 if imm >= 0x80000 else 0)
    add(f"lui x9, {imm}", "lui", rd=9, imm=signed)
    add(f"auipc x9, {imm}", "auipc", rd=9, imm=signed)
for w in "wd":
    add(f"lr.{w}.aq x5, (x6)", "lr" + w, rd=5, rs1=6)
    add(f"sc.{w}.rl x5, x7, (x6)", "sc" + w, rd=5, rs1=6, rs2=7)
    for m in "swap add xor and or min max minu maxu".split():
        add(f"amo{m}.{w} x5, x7, (x6)", "amo" + w, rd=5, rs1=6, rs2=7)
for m in "fence fence.i pause ecall ebreak mret sret wfi".split():
    add(m, name(m))
add("fence.tso", "fence")
add("sfence.vma x3, x4", "sfencevma", rs1=3, rs2=4)
for m in "inval clean flush".split():
    add(f"cbo.{m} (x11)", "cbo" + m, rs1=11)
for m in "csrrw csrrs csrrc".split():
    add(f"{m} x0, 0x7c0, x31", m, rd=32, rs1=31)
    add(f"{m}i x31, 0xfff, 19", m + "i", rd=31, rs1=19)
for p in "sd":
    for m in "fadd fsub fmul fdiv".split():
        for rm in ("rne", "rup", "dyn"):
            add(f"{m}.{p} f0, f31, f15, {rm}", m + p, rd=0, rs1=31, rs2=15)
    add(f"fsqrt.{p} f3, f4, rmm", "fsqrt" + p, rd=3, rs1=4)
    for m in "fmadd fmsub fnmsub fnmadd".split():
        add(f"{m}.{p} f1, f2, f3, f30", m + p, rd=1, rs1=2, rs2=3, rs3=30)
    for m in "fsgnj fsgnjn fsgnjx fmin fmax".split():
        add(f"{m}.{p} f0, f2, f3", m + p, rd=0, rs1=2, rs2=3)
    for m in "feq flt fle".split():
        add(f"{m}.{p} x0, f2, f3", m + p, rd=32, rs1=2, rs2=3)
    add(f"fclass.{p} x0, f9", "fclass" + p, rd=32, rs1=9)
    for i in "w wu l lu".split():
        add(f"fcvt.{i}.{p} x0, f9, rtz", f"fcvt{i}{p}", rd=32, rs1=9)
        add(f"fcvt.{p}.{i} f0, x9", f"fcvt{p}{i}", rd=0, rs1=9)
for m, op in (("fmv.x.w x0, f7", "fmvxw"), ("fmv.x.d x0, f7", "fmvxd")):
    add(m, op, rd=32, rs1=7)
for m, op in (("fmv.w.x f0, x7", "fmvwx"), ("fmv.d.x f0, x7", "fmvdx")):
    add(m, op, rd=0, rs1=7)
add("fcvt.s.d f0, f8", "fcvtsd", rd=0, rs1=8)
add("fcvt.d.s f0, f8", "fcvtds", rd=0, rs1=8)

# 16 bits
for imm in (4, 1020, 0x154):
    add(f"c.addi4spn x12, x2, {imm}", "addi", rd=12, rs1=2, imm=imm)
for m, op, step in (("lw", "lw", 4), ("ld", "ld", 8), ("fld", "fld", 8)):
    f = "f" if m[0] == "f" else "x"
    for k in (1, 2, 4, 8, 16, 31):
        add(f"c.{m} {f}9, {k * step}(x15)", op, rd=9, rs1=15, imm=k * step)
        add(f"c.{m}sp {f}9, {2 * k * step}(x2)", op, rd=9, rs1=2, imm=2 * k * step)
    store = "f" + "sd" if f == "f" else "s" + m[1]
    for k in (1, 2, 4, 8, 16, 31):
        add(f"c.{store} {f}9, {k * step}(x15)", store, rs1=15, rs2=9, imm=k * step)
        add(f"c.{store}sp {f}29, {2 * k * step}(x2)", store, rs1=2, rs2=29, imm=2 * k * step)
for imm in (-32, 31, 1):
    add(f"c.addi x7, {imm}", "addi", rd=7, rs1=7, imm=imm)
    add(f"c.addiw x7, {imm}", "addiw", rd=7, rs1=7, imm=imm)
    add(f"c.li x7, {imm}", "addi", rd=7, rs1=0, imm=imm)
    add(f"c.andi x8, {imm}", "andi", rd=8, rs1=8, imm=imm)
for imm in (16, -512, 496, 32, 64, 128, 256):
    add(f"c.addi16sp x2, {imm}", "addi", rd=2, rs1=2, imm=imm)
add("c.lui x7, 1", "lui", rd=7, imm=4096)
add("c.lui x7, 0xfffe0", "lui", rd=7, imm=-(1 << 17))
for m in "slli srli srai".split():
    for imm in (1, 63):
        add(f"c.{m} x8, {imm}", m, rd=8, rs1=8, imm=imm)
for m in "sub xor or and subw addw".split():
    add(f"c.{m} x8, x15", m, rd=8, rs1=8, rs2=15)
for imm in (-2048, 2046, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
    add(f"c.j .+({imm})", "jal", rd=32, imm=imm)
for imm in (-256, 254, 2, 4, 8, 16, 32, 64, 128):
    add(f"c.beqz x9, .+({imm})", "beq", rs1=9, rs2=0, imm=imm)
    add(f"c.bnez x9, .+({imm})", "bne", rs1=9, rs2=0, imm=imm)
add("c.jr x31", "jalr", rd=32, rs1=31, imm=0)
add("c.jalr x31", "jalr", rd=1, rs1=31, imm=0)
add("c.mv x31, x1", "add", rd=31, rs1=0, rs2=1)
add("c.add x31, x1", "add", rd=31, rs1=31, rs2=1)
add("c.ebreak", "ebreak")
add("c.nop", "addi", rd=32, rs1=0, imm=0)

with tempfile.TemporaryDirectory() as folder:
    source = ".option norelax\n"
    for text, _, _ in rows:
        compress = "" if text.startswith("c.") else ".option norvc\n"
        source += f".option push\n{compress}{text}\n.option pop\n"
    with open(f"{folder}/a.s", "w") as file:
        file.write(source)
    march = "rv64imafdc_zicsr_zifencei_zba_zbb_zbs_zicbom_zihintpause"
    tool = "riscv64-unknown-elf-"
    subprocess.run([f"{tool}as", f"-march={march}", "-o", f"{folder}/a.o", f"{folder}/a.s"], check=True)
    dump = subprocess.run([f"{tool}objdump", "-d", f"{folder}/a.o"], check=True, capture_output=True, text=True)
words = re.findall(r"^ +[0-9a-f]+:\s+([0-9a-f]+) ", dump.stdout, re.M)
assert len(words) == len(rows), (len(words), len(rows))
print("# SPDX-License-Identifier: Apache-2.0")
print("# Written by encodings.py.")
for word, (text, op, fields) in zip(words, rows):
    print(word, op, " ".join(f"{k}={v}" for k, v in fields.items()), "#", text)
