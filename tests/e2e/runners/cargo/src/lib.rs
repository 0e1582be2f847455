//! A sample whose tests the end-to-end tests run.

#[cfg(test)]
mod sum {
    #[test]
    fn adds() {
        assert_eq!(1 + 1, 2);
    }

    #[test]
    fn is_wrong() {
        assert_eq!(1 + 1, 3);
    }

    #[test]
    #[ignore]
    fn is_skipped() {}
}
