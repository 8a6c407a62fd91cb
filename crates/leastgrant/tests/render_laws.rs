//! Laws of what is shown: for any text of an agent and any spans, drawing ends, stays small, and lets no character
//! through that could move the cursor or turn the direction of text.

use leastgrant::render::snippet::snippet;
use leastgrant::render::theme::strip;
use leastgrant::render::verdict::Badge;
use leastgrant::render::words;
use leastgrant_core::reason::{Reason, Weight};
use leastgrant_shell::Span;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z \\n]{0,400}",
        "(\u{202e}|\u{1b}\\[2J|日本|é|👩‍👩‍👧|\u{301}|\t|\r|\n|a){0,80}",
        "([a-z]{1,30} ?){0,60}",
    ]
}

fn reasons() -> impl Strategy<Value = Vec<Reason>> {
    let weights = proptest::sample::select(vec![Weight::Blocks, Weight::Raises, Weight::Lowers, Weight::Info]);
    let one = (0..500_u32, 0..500_u32, text(), weights).prop_map(|(start, end, text, weight)| Reason {
        id: "guard.secret-read",
        text,
        weight,
        span: Some(Span { start, end }),
    });
    proptest::collection::vec(one, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_snippet_is_always_drawn_small_and_harmless(command in text(), reasons in reasons(), width in 20..200_usize) {
        if let Some(drawn) = snippet(&command, &reasons, &[], Badge::Ask, width) {
            let plain = strip(&drawn);
            prop_assert!(plain.chars().all(|c| c == '\n' || !words::is_unsafe(c)), "{plain:?}");
            prop_assert!(plain.lines().count() <= 40, "{plain}");
        }
    }

    #[test]
    fn safe_text_is_one_harmless_line(text in text()) {
        prop_assert!(words::safe(&text).chars().all(|c| !words::is_unsafe(c)));
    }

    #[test]
    fn cut_text_fits(text in "[a-z日é ]{0,80}", width in 1..60_usize) {
        prop_assert!(words::columns(&words::cut(&text, width)) <= width);
    }

    #[test]
    fn wrapping_loses_nothing(text in "([a-z]{1,12} ?){0,30}", width in 8..60_usize) {
        prop_assert_eq!(words::wrap(&text, width).join(" "), text);
    }
}
