/// A job that did not produce its results, so that its time means nothing.
struct JobFailure: Error, CustomStringConvertible {
  let description: String
}
