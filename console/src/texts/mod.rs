//! The texts of pages, in English and Chinese: one table, in which no language can lack a text.

mod table;

pub(crate) use table::Text;

/// A language of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lang {
    En,
    Zh,
}

impl Lang {
    pub(crate) const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Returns the code of the language: that of the `lang` attribute, and of the cookie.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// Returns the name of the language in itself.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "\u{4e2d}\u{6587}",
        }
    }

    /// Returns the language that a browser asks for first and pages have.
    pub(crate) fn preferred(accept_language: &str) -> Self {
        let asked =
            accept_language.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
        let known = asked.filter_map(|tag| {
            let primary = tag.split('-').next().unwrap_or_default();
            Self::ALL.into_iter().find(|lang| lang.code().eq_ignore_ascii_case(primary))
        });
        known.into_iter().next().unwrap_or(Self::En)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_in_both_languages_with_as_many_places_for_values() {
        for text in Text::ALL {
            let [en, zh] = Lang::ALL.map(|lang| text.of(lang));
            assert!(!en.is_empty() && !zh.is_empty(), "{text:?}");
            assert_eq!(en.matches("{}").count(), zh.matches("{}").count(), "{text:?}");
            assert!(en.is_ascii(), "{text:?}: {en}");
            let is_name = en.chars().all(|c| !c.is_ascii_lowercase()) || en == zh;
            assert!(is_name || !zh.is_ascii(), "{text:?} has no Chinese: {zh}");
        }
    }

    #[test]
    fn the_language_is_the_first_that_pages_have() {
        assert_eq!(Lang::preferred("fr, zh-TW;q=0.8, en;q=0.5"), Lang::Zh);
        assert_eq!(Lang::preferred(""), Lang::En);
    }
}
