import EaselCore
import EaselManager
import EaselTestSupport
import EaselTiers
import FoundationEssentials
import Synchronization
import Testing

@testable import EaselLocal

struct StreamLoaderTests {
  /// Chunks of bytes; it counts how often it is read.
  private struct Body: AsyncSequence, Sendable {
    final class Counts: Sendable {
      let readings = Mutex(0)
      let chunks = Mutex(0)
    }

    var chunks: [ArraySlice<UInt8>]
    var failure: (any Error)?
    let counts = Counts()

    init(_ bytes: [UInt8], by size: Int = 16, failure: (any Error)? = nil) {
      chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<Swift.min(bytes.count, $0 + size)] }
      self.failure = failure
    }

    func makeAsyncIterator() -> Iterator {
      counts.readings.withLock { $0 += 1 }
      return Iterator(chunks: chunks[...], failure: failure, counts: counts)
    }

    struct Iterator: AsyncIteratorProtocol {
      var chunks: ArraySlice<ArraySlice<UInt8>>
      let failure: (any Error)?
      let counts: Counts

      mutating func next() async throws -> ArraySlice<UInt8>? {
        if let chunk = chunks.popFirst() {
          counts.chunks.withLock { $0 += 1 }
          return chunk
        }
        if let failure { throw failure }
        return nil
      }
    }
  }

  private let toy = ToyImage(width: 6, height: 4, color: .black)
  private let manager = ImageManager(
    ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry([ToyCoder()]), cache: TieredCache()))

  @Test func keepsTheContractOfLoaders() async {
    let url = URL(string: "upload:body")!
    let contract = ImageLoaderContract(
      StreamLoader(Body(toy.bytes), length: toy.bytes.count), samples: [.init(url, body: toy.bytes)])
    let violations = await contract.check()
    #expect(violations.isEmpty, "\(violations)")
  }

  @Test func severalPicturesReadABodyOnce() async throws {
    let body = Body(toy.bytes)
    let form = EncodeRecipe(ToyImage.format)
    let made = try await manager.variants(
      of: ImageRequest(body: body, length: toy.bytes.count), as: [ImageVariant(as: form), ImageVariant(as: form)])
    #expect(made.map(\.size) == [toy.size, toy.size])
    #expect(body.counts.readings.withLock { $0 } == 1)
  }

  @Test func twoBodiesAreTwoPictures() async throws {
    let other = ToyImage(width: 3, height: 3, color: .black)
    let first = try await manager.image(for: ImageRequest(body: Body(toy.bytes)))
    let second = try await manager.image(for: ImageRequest(body: Body(other.bytes)))
    #expect(first.size == toy.size && second.size == other.size)
  }

  @Test func aBodyThatBreaksOffFails() async throws {
    struct Hangup: Error {}
    let half = Array(toy.bytes.prefix(toy.bytes.count / 2))
    var error = await #expect(throws: ImageError.self) {
      try await manager.image(for: ImageRequest(body: Body(half, failure: Hangup())))
    }
    #expect(error?.code == .network && error?.underlyingError is Hangup)
    // One that simply ends is shorter than it should be.
    error = await #expect(throws: ImageError.self) {
      try await manager.image(for: ImageRequest(body: Body(half), length: toy.bytes.count))
    }
    #expect(error?.code == .truncatedBody)
    // Nothing of it is remembered.
    #expect(try await manager.image(for: ImageRequest(body: Body(toy.bytes))).size == toy.size)
  }

  @Test func aBodyIsReadOnlyToItsLimit() async throws {
    let body = Body([UInt8](repeating: 1, count: 100_000), by: 100)
    var limits = Limits()
    limits.downloadBytes = 1000
    let error = await #expect(throws: ImageError.self) {
      try await manager.image(for: ImageRequest(body: body, context: [.limits(limits)]))
    }
    #expect(error?.code == .limitExceeded)
    #expect(body.counts.chunks.withLock { $0 } < 20)
  }
}
