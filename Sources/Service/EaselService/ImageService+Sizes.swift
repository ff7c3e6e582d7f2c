import EaselCore
import EaselManager
import EaselWorkers

extension ImageService {
  /// Answers with an order that depends on the size of its picture, and once more if that has changed meanwhile.
  func completed(
    _ wanted: WantedImage, _ answer: (WantedImage) async throws(ServiceError) -> ServiceResponse
  ) async throws(ServiceError) -> ServiceResponse {
    guard wanted.order.completion != nil else { return try await answer(wanted) }
    let size: PixelSize
    if let known = settings.sizes[wanted.url] {
      size = known
    } else {
      size = try await original(measuring: wanted).size
    }
    do throws(ServiceError) {
      return try await answer(wanted.completed(size))
    } catch {
      guard let present = settings.sizes[wanted.url], present != size else { throw error }
      return try await answer(wanted.completed(present))
    }
  }

  /// A document about a picture.
  func document(_ wanted: WantedImage, _ exchange: ServiceExchange) async throws(ServiceError) -> ServiceResponse {
    guard let document = wanted.order.document else { throw ServiceError(500, "The server failed.") }
    let original = try await original(measuring: wanted)
    let facts = PictureDocument.Facts(
      size: original.size, base: exchange.base(of: wanted.mount), accept: exchange.request.headers["Accept"])
    return exchange.response(document.text(facts), record: original.record, for: wanted, at: clock.date)
  }

  /// Loads the original, and reads how large its picture is when it is set upright.
  private func original(
    measuring wanted: WantedImage
  ) async throws(ServiceError) -> (size: PixelSize, record: CacheRecord) {
    do throws(ImageError) {
      return try await slowPictures.run(wanted.slowName) {
        () async throws(ImageError) -> (size: PixelSize, record: CacheRecord) in
        let original = try await manager.original(for: wanted.request())
        let size = try await size(of: original.bytes)
        settings.sizes[wanted.url] = size
        return (size, original.record)
      }
    } catch {
      throw ServiceError(error)
    }
  }

  /// The size that the header states; a part of a picture that is too large may be wanted.
  private func size(of bytes: ImageBytes) async throws(ImageError) -> PixelSize {
    let configuration = manager.configuration
    var limits = configuration.limits
    limits.framePixels = .max
    let work = WorkContext(limits: limits, clock: configuration.clock)
    let terms = JobTerms(work.time) { ImageError(.limitExceeded, "Reading the header of the picture took too long.") }
    do {
      return try await configuration.workers.run(terms) { try configuration.coder.probe(bytes, work: work).uprightSize }
    } catch {
      throw .wrapping(error, as: .badImageData, "The header of the picture could not be read.")
    }
  }
}
