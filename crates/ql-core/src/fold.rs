//! Folding for search: what a person means by "the same word".

/// Lower-cased, accent-free ASCII rendering of `text`, so that `query` finds `Café` by `cafe`.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    deunicode::deunicode(text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn case_and_accents_fold() {
        assert_eq!(fold("Crème BRÛLÉE"), "creme brulee");
        assert_eq!(fold("Straße"), "strasse");
    }
}
