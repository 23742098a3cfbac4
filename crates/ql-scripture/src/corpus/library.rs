//! Several editions together.

use std::sync::Arc;

use super::Corpus;

/// The editions that quotations are compared with, each under its identifier.
#[derive(Clone, Debug, Default)]
pub struct Library {
    corpora: Vec<Arc<Corpus>>,
}

impl Library {
    /// A library of these editions. Of two with one identifier the later is kept.
    pub fn new(corpora: impl IntoIterator<Item = Arc<Corpus>>) -> Self {
        let mut library = Self::default();
        for corpus in corpora {
            library.corpora.retain(|known| known.id() != corpus.id());
            library.corpora.push(corpus);
        }
        library
    }

    /// The edition with this identifier.
    pub fn get(&self, id: &str) -> Option<&Corpus> {
        let mut corpora = self.iter();
        corpora.find(|corpus| corpus.id() == id)
    }

    /// The editions in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Corpus> {
        self.corpora.iter().map(Arc::as_ref)
    }
}
