// SPDX-License-Identifier: Apache-2.0
//! Limits how deep a file is nested, before the parser reads it.
//!
//! The parser recurses and counts the depth. But it counts misplaced brackets as closed although
//! they were never opened, so `a=[{b=s[c][d]`, repeated, would reach any depth and overflow the
//! stack. Here a closing bracket closes only the last open one of its own kind, so the count is
//! never below the parser's real depth.

use std::ops::Range;

use toml_parser::{Source, lexer::TokenKind};

/// The deepest nesting that is accepted. A description needs 3: a table in a list of a table.
const DEEPEST: usize = 32;

/// The place of the first bracket that is nested too deep.
pub fn too_deep(text: &str) -> Option<Range<usize>> {
    let mut open = Vec::new();
    for token in Source::new(text).lex() {
        match token.kind() {
            kind @ (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket) => open.push(kind),
            TokenKind::RightSquareBracket => close(&mut open, TokenKind::LeftSquareBracket),
            TokenKind::RightCurlyBracket => close(&mut open, TokenKind::LeftCurlyBracket),
            _ => {}
        }
        if open.len() > DEEPEST {
            return Some(token.span().start()..token.span().end());
        }
    }
    None
}

fn close(open: &mut Vec<TokenKind>, kind: TokenKind) {
    if open.last() == Some(&kind) {
        open.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_all_kinds_count() {
        let deep = "[{".repeat(16);
        assert_eq!(too_deep(&deep), None);
        assert_eq!(too_deep(&format!("{deep}[")), Some(32..33));
        assert_eq!(too_deep(&format!("{deep}}}]{{[{{")), Some(36..37));
    }

    #[test]
    fn a_bracket_closes_its_kind_only() {
        assert_eq!(too_deep(&"[}".repeat(33)), Some(64..65));
        assert_eq!(too_deep(&"[]{}".repeat(33)), None);
        assert_eq!(too_deep(&"]".repeat(33)), None);
    }

    #[test]
    fn strings_and_comments_do_not_count() {
        let brackets = "[".repeat(99);
        assert_eq!(too_deep(&format!("a = '{brackets}' # {brackets}")), None);
    }
}
