/// A job that did not do what it was asked for, so that its time means nothing.
struct JobFailure: Error, CustomStringConvertible {
  let description: String
}
