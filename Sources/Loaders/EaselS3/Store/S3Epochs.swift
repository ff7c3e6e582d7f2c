import EaselCore
import FoundationEssentials

/// The number in all names of a store; raising it makes every machine forget all entries.
///
/// The number is kept for a while, so that not every lookup must ask for it.
actor S3Epochs {
  private let client: S3Client
  private let location: S3Location
  private let delay: Duration
  private let clock: any ImageClock
  private var known: (epoch: Int, read: Duration)?

  private static let mostAttempts = 8

  init(_ client: S3Client, location: S3Location, delay: Duration, clock: any ImageClock) {
    self.client = client
    self.location = location
    self.delay = delay
    self.clock = clock
  }

  /// The number of the epoch; it is read again if the last reading is older than the delay.
  func current() async throws -> Int {
    if let known, clock.uptime - known.read < delay { return known.epoch }
    let began = clock.uptime
    let (epoch, _) = try await read()
    // If the number was raised in the meantime, the raised one is newer.
    if known.map({ epoch >= $0.epoch }) ?? true { known = (epoch, began) }
    return known?.epoch ?? epoch
  }

  /// Raises the number, so that every machine forgets all entries.
  func raise() async throws {
    for _ in 0..<Self.mostAttempts {
      let (epoch, tag) = try await read()
      let next = epoch + 1
      var headers: HTTPHeaders = ["Content-Type": "text/plain"]
      if let tag { headers["If-Match"] = tag } else { headers["If-None-Match"] = "*" }
      let answer = try await client.send(
        .init(location: location, method: "PUT", headers: headers, body: Data(String(next).utf8)),
        limit: S3Fault.longest)
      switch answer.status {
      case 200...204:
        known = (next, clock.uptime)
        return
      case 404, 409, 412: continue
      default: throw S3Fault.error(answer, "write", location.key)
      }
    }
    throw ImageError(
      .cacheFailed, "Other machines cleared the store at the same time, \(Self.mostAttempts) times in a row.")
  }

  /// Reads the number in the bucket, 0 if there is none, and the tag of its object.
  private func read() async throws -> (epoch: Int, tag: String?) {
    let answer = try await client.send(.init(location: location), limit: S3Fault.longest)
    switch answer.status {
    case 404: return (0, nil)
    case 200:
      guard let epoch = Int(String(decoding: answer.body, as: UTF8.self)), (0..<Int.max).contains(epoch) else {
        throw ImageError(
          .cacheFailed, "The object that numbers the store's entries is not a number. Delete it to begin anew.",
          subject: location.key)
      }
      return (epoch, answer.head.headers["ETag"])
    default: throw S3Fault.error(answer, "read", location.key)
    }
  }
}
