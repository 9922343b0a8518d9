// SPDX-License-Identifier: Apache-2.0
//! Checks names, and finds the name that may have been meant by an unknown word.

use std::collections::HashMap;

use super::{
    file::{Name, Spanned},
    report::Report,
};
use crate::{Code, Problem};

pub const MAX_NAME: usize = 31;
/// The longest name of a function: C17 distinguishes internal names by 63 characters.
pub const MAX_ENTRY: usize = 63;
/// The greatest number of objects of a class: IDs have 16 bits in the record, and 0 means no
/// object.
const MAX_OBJECTS: usize = 65535;

/// The objects of a class by their names.
pub struct Names<'f> {
    class: &'static str,
    unknown: Code,
    indices: HashMap<&'f str, usize>,
}

impl<'f> Names<'f> {
    /// Checks the names of a class: identifiers, none twice, not too many.
    pub fn read(
        report: &mut Report,
        class: &'static str,
        unknown: Code,
        names: impl Iterator<Item = &'f Spanned<Name>>,
    ) -> Names<'f> {
        let mut places: Vec<&Spanned<Name>> = Vec::new();
        let mut indices = HashMap::new();
        for (index, name) in names.enumerate() {
            check_name(report, class, name);
            places.push(name);
            let first = *indices.entry(name.get().0.as_str()).or_insert(index);
            if first != index {
                report.add(duplicate(class, name, places[first]));
            }
        }
        if places.len() > MAX_OBJECTS {
            report.add(too_many(class, places[MAX_OBJECTS]));
        }
        Names { class, unknown, indices }
    }

    /// The index of the object with this name; an unknown name is reported.
    pub fn find(&self, report: &mut Report, name: &Spanned<Name>) -> Option<usize> {
        let word = &name.get().0;
        let found = self.indices.get(word.as_str()).copied();
        if found.is_none() {
            report.add_costly(|| self.not_found(name));
        }
        found
    }

    /// The index of the object with this name, without a report.
    pub fn index(&self, name: &Spanned<Name>) -> Option<usize> {
        self.indices.get(name.get().0.as_str()).copied()
    }

    /// The index of the object with this name, without a report.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.indices.get(name).copied()
    }

    /// The names of all objects.
    pub fn words(&self) -> impl Iterator<Item = &'f str> + Clone {
        self.indices.keys().copied()
    }

    fn not_found(&self, name: &Spanned<Name>) -> Problem {
        let (class, word) = (self.class, &name.get().0);
        let help = suggest(word, self.indices.keys().copied(), &format!("the {class}s are"));
        Problem::new(self.unknown, format!("there is no {class} `{word}`"), help)
            .at(name.span(), format!("no {class} has this name"))
    }
}

fn duplicate(class: &str, name: &Spanned<Name>, first: &Spanned<Name>) -> Problem {
    let message = format!("two {class}s are called `{}`", name.get().0);
    Problem::new(Code::DuplicateName, message, "give one of them another name")
        .at(name.span(), "here again")
        .at(first.span(), "first here")
}

fn too_many(class: &str, first: &Spanned<Name>) -> Problem {
    let message = format!("more than {MAX_OBJECTS} {class}s");
    Problem::new(Code::TooMany, message, "a system has IDs of 16 bits")
        .at(first.span(), "the first one too many")
}

/// Checks a name that the description introduces: it must be a C identifier that is reserved
/// neither in C nor by Polytakt.
pub fn check_name(report: &mut Report, class: &str, name: &Spanned<Name>) {
    let word = &name.get().0;
    if word.starts_with("takt_") {
        let message = format!("the name `{word}` belongs to Polytakt");
        let problem = Problem::new(Code::ReservedName, message, "leave out the `takt_`");
        return report.add(problem.at(name.span(), "begins with `takt_`"));
    }
    check_identifier(report, &format!("name of a {class}"), word, name.span(), MAX_NAME);
}

/// Whether it has the form of a C identifier, if not of one that is free.
pub fn is_identifier(word: &str) -> bool {
    let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub fn check_identifier(
    report: &mut Report,
    what: &str,
    word: &str,
    span: std::ops::Range<usize>,
    longest: usize,
) {
    if KEYWORDS.contains(&word) {
        let message = format!("`{word}` is a word of C");
        let problem = Problem::new(Code::ReservedName, message, "choose another word");
        return report.add(problem.at(span, "a keyword"));
    }
    if !is_identifier(word) || word.len() > longest {
        let help =
            format!("use letters, digits and _, no digit first, at most {longest} characters");
        let message = format!("the {what} is not a C identifier");
        report.add(Problem::new(Code::NotIdentifier, message, help).at(span, "this word"));
    }
}

/// Checks the name of a function of the application that the kernel calls.
pub fn check_entry(report: &mut Report, what: &str, value: &Spanned<String>) {
    let word = value.get().as_str();
    let owner = match word {
        _ if word.starts_with("takt_") => "Polytakt",
        _ if in_c_library(word) => "the C library",
        _ => return check_identifier(report, what, word, value.span(), MAX_ENTRY),
    };
    let message = format!("`{word}` is a name of {owner}");
    let help = "give the application's function another name, and write that here";
    let problem = Problem::new(Code::ReservedName, message, help);
    report.add(problem.at(value.span(), format!("belongs to {owner}")));
}

fn in_c_library(word: &str) -> bool {
    let plain = word.strip_suffix(['f', 'l']).filter(|plain| word.len() > 2 && plain.len() > 1);
    C_LIBRARY.binary_search(&word).is_ok() || plain.is_some_and(|plain| MATH.contains(&plain))
}

/// The known word that may have been meant.
pub fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    // The greatest number of known words that are compared; each comparison costs the product of
    // the lengths.
    const COMPARED: usize = 5000;
    let short = word.len() <= 64;
    let lower = word.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&lower, other);
    let near =
        |other: &'w str| Some((distance(other), other)).filter(|(d, _)| *d <= 1 + other.len() / 4);
    known.filter(|_| short).take(COMPARED).filter_map(near).min().map(|(_, other)| other)
}

/// A help text that names the word that may have been meant, or else all of them.
pub fn suggest<'w>(word: &str, known: impl Iterator<Item = &'w str> + Clone, all: &str) -> String {
    const LISTED: usize = 30;
    if let Some(other) = nearest(word, known.clone()) {
        return format!("did you mean `{other}`?");
    }
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let rest = if known.len() > LISTED { ", ..." } else { "" };
    known.truncate(LISTED);
    match &known[..] {
        [] => "there is none".to_string(),
        words => format!("{all} {}{rest}", words.join(", ")),
    }
}

/// The keywords of C17, C23 and GNU C, and macros of the headers that every application includes.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "NULL", "_Alignas", "_Alignof", "_Atomic", "_BitInt", "_Bool", "_Complex", "_Decimal128",
    "_Decimal32", "_Decimal64", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local", "alignas", "alignof", "asm", "auto", "bool", "break", "case", "char", "const",
    "constexpr", "continue", "default", "do", "double", "else", "enum", "errno", "extern", "false",
    "float", "for", "goto", "if", "inline", "int", "linux", "long", "nullptr", "offsetof",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
    "struct", "switch", "thread_local", "true", "typedef", "typeof", "typeof_unqual", "union",
    "unix", "unsigned", "void", "volatile", "while",
];

/// The functions of the C library, whose names a program must not define (C17, 7.1.3), and the
/// image's own entry. The names of `math.h` are also reserved with the suffixes `f` and `l`.
#[rustfmt::skip]
const C_LIBRARY: &[&str] = &[
    "_Exit", "_start", "abort", "abs", "acos", "acosh", "aligned_alloc", "asctime", "asin",
    "asinh", "at_quick_exit", "atan", "atan2", "atanh", "atexit", "atof", "atoi", "atol",
    "atoll", "bsearch", "calloc", "cbrt", "ceil", "clearerr", "clock", "copysign", "cos",
    "cosh", "ctime", "difftime", "div", "erf", "erfc", "exit", "exp", "exp2", "expm1", "fabs",
    "fclose", "fdim", "feclearexcept", "fegetenv", "fegetexceptflag", "fegetround",
    "feholdexcept", "feof", "feraiseexcept", "ferror", "fesetenv", "fesetexceptflag",
    "fesetround", "fetestexcept", "feupdateenv", "fflush", "fgetc", "fgetpos", "fgets",
    "floor", "fma", "fmax", "fmin", "fmod", "fopen", "fprintf", "fputc", "fputs", "fread",
    "free", "freopen", "frexp", "fscanf", "fseek", "fsetpos", "ftell", "fwrite", "getc",
    "getchar", "getenv", "gmtime", "hypot", "ilogb", "imaxabs", "imaxdiv", "isalnum",
    "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct",
    "isspace", "isupper", "isxdigit", "labs", "ldexp", "ldiv", "lgamma", "llabs", "lldiv",
    "llrint", "llround", "localeconv", "localtime", "log", "log10", "log1p", "log2", "logb",
    "longjmp", "lrint", "lround", "malloc", "mblen", "mbstowcs", "mbtowc", "memchr", "memcmp",
    "memcpy", "memmove", "memset", "mktime", "modf", "nan", "nearbyint", "nextafter",
    "nexttoward", "perror", "pow", "printf", "putc", "putchar", "puts", "qsort", "quick_exit",
    "raise", "rand", "realloc", "remainder", "remove", "remquo", "rename", "rewind", "rint",
    "round", "scalbln", "scalbn", "scanf", "setbuf", "setjmp", "setlocale", "setvbuf",
    "signal", "sin", "sinh", "snprintf", "sprintf", "sqrt", "srand", "sscanf", "strcat",
    "strchr", "strcmp", "strcoll", "strcpy", "strcspn", "strerror", "strftime", "strlen",
    "strncat", "strncmp", "strncpy", "strpbrk", "strrchr", "strspn", "strstr", "strtod",
    "strtof", "strtoimax", "strtok", "strtol", "strtold", "strtoll", "strtoul", "strtoull",
    "strtoumax", "strxfrm", "system", "tan", "tanh", "tgamma", "time", "timespec_get",
    "tmpfile", "tmpnam", "tolower", "toupper", "trunc", "ungetc", "vfprintf", "vfscanf",
    "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "wcstoimax", "wcstombs",
    "wcstoumax", "wctomb",
];

/// The names of the C library that have variants for `float` and `long double`.
#[rustfmt::skip]
const MATH: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign",
    "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma",
    "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "ldexp", "lgamma", "llrint", "llround",
    "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "modf", "nan", "nearbyint",
    "nextafter", "nexttoward", "pow", "remainder", "remquo", "rint", "round", "scalbln",
    "scalbn", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested() {
        let keys = || ["period", "priority", "wcet"].into_iter();
        assert_eq!(suggest("perod", keys(), "keys:"), "did you mean `period`?");
        assert_eq!(suggest("Priority", keys(), "keys:"), "did you mean `priority`?");
        assert_eq!(suggest("colour", keys(), "keys:"), "keys: period, priority, wcet");
        assert_eq!(suggest(&"x".repeat(4000), keys(), "keys:"), "keys: period, priority, wcet");
        assert_eq!(suggest("a", [].into_iter(), "keys:"), "there is none");
    }

    #[test]
    fn the_c_librarys_names_are_known() {
        assert!(C_LIBRARY.is_sorted());
        for word in ["printf", "abs", "sin", "sinf", "powl", "malloc", "_start"] {
            assert!(in_c_library(word), "{word}");
        }
        for word in ["control_step", "print", "sinh_step", "f", "l", "absf", "tick"] {
            assert!(!in_c_library(word), "{word}");
        }
    }
}
