import EaselCore
import EaselSupport

/// Runs work that blocks on a thread of its own, so that the tests beside it go on.
package func runBlocking<Value: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    PlainThread.start { continuation.resume(returning: Result(catching: body)) }
  }
  return try result.get()
}
