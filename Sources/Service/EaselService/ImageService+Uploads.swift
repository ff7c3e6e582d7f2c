import EaselCore
import EaselLocal
import EaselManager

extension ImageService {
  /// Makes encoded pictures of a body that a client sends, while it arrives.
  ///
  /// The body is a sequence of arrays, slices or buffers of bytes, read once and only as fast as it is decoded. The work
  /// has the limits of the service, and waits in one queue with that of all other requests. A task that is cancelled,
  /// because the client has left, ends it.
  ///
  /// ```swift
  /// let service = ImageService(ImageService.Configuration(.standard(), signer: nil))
  /// let (body, input) = AsyncStream<[UInt8]>.makeStream()
  /// let cards = try await service.variants(
  ///   of: body, as: [ImageVariant(.resize(width: 96), as: .webp), ImageVariant(.resize(width: 320), as: .webp)])
  /// ```
  public func variants<Body: AsyncSequence & Sendable>(
    of body: Body, length: Int? = nil, as variants: [ImageVariant]
  ) async throws(ImageError) -> [EncodedImage] where Body.Element: Sequence, Body.Element.Element == UInt8 {
    try await manager.variants(of: ImageRequest(body: body, length: length), as: variants)
  }
}
