import EaselCore
import EaselWorkers

extension ServiceResponse {
  /// The bytes of the body, in parts that are read while they are sent.
  ///
  /// ```swift
  /// let service = ImageService(ImageService.Configuration(.standard(), signer: nil))
  /// let answer = await service.response(to: ServiceRequest(target: "/health"))
  /// for try await part in answer.parts { print(part.count) }
  /// ```
  public var parts: BodyParts { BodyParts(slices: body) }
}

/// The bytes of a body in order, in parts of at most 128 KiB.
///
/// What is in a file is read on a worker thread when its part is wanted, so that nothing blocks the pool and a slow
/// client holds no memory.
public struct BodyParts: AsyncSequence, Sendable {
  let slices: [ImageBytes]

  /// The most bytes of a part.
  static let most = 128 << 10

  /// Begins at the first byte.
  public func makeAsyncIterator() -> Iterator { Iterator(slices: slices[...]) }

  /// The place in a body.
  public struct Iterator: AsyncIteratorProtocol {
    var slices: ArraySlice<ImageBytes>
    private var offset = 0

    init(slices: ArraySlice<ImageBytes>) { self.slices = slices }

    /// The next part; nil after the last one.
    public mutating func next() async throws(ImageError) -> [UInt8]? {
      while let bytes = slices.first {
        let (start, count) = (offset, Swift.min(BodyParts.most, bytes.count - offset))
        guard count > 0 else {
          (slices, offset) = (slices.dropFirst(), 0)
          continue
        }
        offset += count
        guard bytes.isInFile else { return try bytes.part(at: start, count: count) }
        return try await BodyParts.read(bytes, at: start, count)
      }
      return nil
    }
  }

  private static func read(_ bytes: ImageBytes, at start: Int, _ count: Int) async throws(ImageError) -> [UInt8] {
    let workers = WorkerSet.files
    let terms = JobTerms(WorkTime(.seconds(30), clock: workers.clock)) {
      ImageError(.timedOut, "The file of a picture was not read in time.")
    }
    do {
      return try await workers.run(terms) { try bytes.part(at: start, count: count) }
    } catch {
      throw .wrapping(error, as: .network, "The file of a picture could not be read.")
    }
  }
}
