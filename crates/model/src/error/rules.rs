//! What a field may hold, in the words that a caller is told.

/// Returns what follows the text of `INVALID_FIELD` for a field that has a rule of its own, and nothing for others.
pub(super) fn of(field: &str) -> &'static str {
    match field {
        "login_name" => {
            ": a login name has letters and digits of one script, or Latin beside Chinese, Japanese or Korean, and signs, \
             but no spaces and no `@` in front; who registers itself takes no mail address or phone number"
        }
        "password" => ": a password has no control characters and no invisible ones",
        "nickname" | "name" | "device" => {
            ": it has a visible character, and no control characters, none that nobody sees and none that turn text around"
        }
        "external_id" | "external_ids" => {
            ": an external id is text without control characters and line breaks"
        }
        "message" => {
            ": it has no control characters but line feeds, and none that nobody sees or that turn text around"
        }
        "email" => ": a mail address is as ann@example.org, in ASCII, without quotes and spaces",
        "phone" => {
            ": a phone number is `+`, the country code and the number, as +33123456789, without the 0 that is dialled at home"
        }
        _ => "",
    }
}
