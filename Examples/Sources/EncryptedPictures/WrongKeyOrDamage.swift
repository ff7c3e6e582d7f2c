/// The tag does not fit: another key sealed the body, or it was changed on its way.
struct WrongKeyOrDamage: Error {}
