//! How pages look for one browser: language, theme and time zone, from one cookie without secrets.

use http::{HeaderMap, header};

use crate::gate::{self, LOOK};
use crate::texts::{Lang, Text};

/// The colours of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the reader's system has it.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) const fn text(self) -> Text {
        match self {
            Self::System => Text::ThemeSystem,
            Self::Light => Text::ThemeLight,
            Self::Dark => Text::ThemeDark,
        }
    }
}

/// Minutes to the east of UTC that a zone may be off.
const ZONE_MINUTES_MAX: i16 = 14 * 60;

/// How pages look for one browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) lang: Lang,
    pub(crate) theme: Theme,
    /// Minutes to the east of UTC, as the browser's script says; `None` without script.
    pub(crate) zone: Option<i16>,
}

impl Look {
    /// Reads the cookie; what it does not say is as the browser asks for.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let mut look =
            Self { lang: Lang::preferred(asked.unwrap_or_default()), theme: Theme::System, zone: None };
        for word in gate::find(headers, LOOK).unwrap_or_default().split('.') {
            look.read(word);
        }
        look
    }

    /// Takes one word of the cookie over; any other text changes nothing.
    pub(crate) fn read(&mut self, word: &str) {
        if let Some(lang) = Lang::ALL.into_iter().find(|lang| lang.code() == word) {
            self.lang = lang;
        } else if let Some(theme) = Theme::ALL.into_iter().find(|theme| theme.name() == word) {
            self.theme = theme;
        } else if let Some(minutes) = word.strip_prefix('z').and_then(|minutes| minutes.parse().ok())
            && (-ZONE_MINUTES_MAX..=ZONE_MINUTES_MAX).contains(&minutes)
        {
            self.zone = Some(minutes);
        }
    }

    /// Returns the value of the cookie.
    pub(crate) fn cookie(self) -> String {
        let zone = self.zone.map_or_else(String::new, |minutes| format!(".z{minutes}"));
        format!("{}.{}{zone}", self.lang.code(), self.theme.name())
    }

    /// Returns a text in the reader's language.
    pub(crate) const fn say(self, text: Text) -> &'static str {
        text.of(self.lang)
    }

    /// Returns a text with values in the places of its `{}`. A value changes the direction of no other part.
    pub(crate) fn fill(self, text: Text, values: &[&dyn std::fmt::Display]) -> String {
        let mut parts = self.say(text).split("{}");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for (part, value) in parts.zip(values) {
            filled.push_str(&without_turns(&value.to_string()));
            filled.push_str(part);
        }
        filled
    }
}

/// Returns a text without the characters that turn the direction of what stands behind them, such as U+202E. Text that has an element
/// of its own keeps them, since they end with the element; a title or a sentence has other words behind.
pub(crate) fn without_turns(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn of(cookie: &str, accept: &str) -> Look {
        let cookie = HeaderValue::try_from(format!("{LOOK}={cookie}")).unwrap();
        let accept = HeaderValue::try_from(accept).unwrap();
        Look::of(&HeaderMap::from_iter([(header::COOKIE, cookie), (header::ACCEPT_LANGUAGE, accept)]))
    }

    #[test]
    fn a_look_comes_back_as_it_was_kept_and_nonsense_changes_nothing() {
        let look = Look { lang: Lang::Zh, theme: Theme::Dark, zone: Some(-480) };
        assert_eq!(look.cookie(), "zh.dark.z-480");
        assert_eq!(of(&look.cookie(), "en"), look);
        let default = Look { lang: Lang::En, theme: Theme::System, zone: None };
        assert_eq!(of("xx.pink.z9999.z.<b>", "de-DE"), default);
        assert_eq!(of("", "zh-CN,zh;q=0.9"), Look { lang: Lang::Zh, ..default });
    }

    #[test]
    fn values_stand_where_the_text_has_them() {
        let look = of("en", "en");
        assert_eq!(look.fill(Text::ShownOf, &[&3, &"x"]), "3 of x");
        assert_eq!(look.fill(Text::ShownOf, &[&"\u{202e}3\u{2069}", &"\u{5d0}"]), "3 of \u{5d0}");
    }
}
