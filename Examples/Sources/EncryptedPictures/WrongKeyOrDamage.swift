/// The tag is wrong: the body was encrypted with another key, or was changed.
struct WrongKeyOrDamage: Error {}
