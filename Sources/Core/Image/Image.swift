import Synchronization

/// A decoded picture, still or moving.
///
/// ```swift
/// let image = Image(bitmap, format: .png)
/// print(image.size, image.isAnimated, image.metadata.orientation)
/// ```
public struct Image: Sendable {
  // One reference, so that handing an image around costs one retain.
  private var storage: Storage

  /// Unchecked because it is changed only while a single `Image` refers to it.
  private final class Storage: @unchecked Sendable {
    var bitmap: Bitmap
    var format: ImageFormat?
    var metadata: ImageMetadata
    var frames: (any FrameSource)?
    var traits: Image.Traits
    var scaleFactor: Double
    var stated: Stated
    // Copy-on-write does not see weak references, so a storage with a weak reference is never changed in place.
    let isFrozen = Atomic(false)

    init(
      bitmap: Bitmap, format: ImageFormat?, metadata: ImageMetadata, frames: (any FrameSource)?, traits: Image.Traits,
      scaleFactor: Double, stated: Stated
    ) {
      self.bitmap = bitmap
      self.format = format
      self.metadata = metadata
      self.frames = frames
      self.traits = traits
      self.scaleFactor = scaleFactor
      self.stated = stated
    }

    func copy() -> Storage {
      Storage(
        bitmap: bitmap, format: format, metadata: metadata, frames: frames, traits: traits, scaleFactor: scaleFactor,
        stated: stated)
    }
  }

  /// The properties that were set explicitly.
  private struct Stated: OptionSet {
    let rawValue: UInt8
    static let format = Stated(rawValue: 1)
    static let metadata = Stated(rawValue: 2)
    static let scaleFactor = Stated(rawValue: 4)
    static let all: Stated = [.format, .metadata, .scaleFactor]
  }

  /// Wraps pixels in a picture that the pipeline can hand out.
  ///
  /// Without metadata the stored size is that of the bitmap.
  ///
  /// ```swift
  /// let still = Image(bitmap)
  /// let frames = try FrameArray([bitmap, bitmap], each: .milliseconds(100))
  /// let moving = Image(bitmap, frames: frames)
  /// ```
  public init(
    _ bitmap: Bitmap, format: ImageFormat? = nil, metadata: ImageMetadata? = nil, frames: (any FrameSource)? = nil,
    traits: Image.Traits = []
  ) {
    var stated: Stated = []
    if format != nil { stated.insert(.format) }
    if metadata != nil { stated.insert(.metadata) }
    storage = Storage(
      bitmap: bitmap, format: format, metadata: metadata ?? ImageMetadata(storedSize: bitmap.size), frames: frames,
      traits: traits, scaleFactor: 1, stated: stated)
  }

  /// The pixels; for a moving picture, those of the first frame.
  public var bitmap: Bitmap {
    get { storage.bitmap }
    set { change { $0.bitmap = newValue } }
  }

  /// The format of the source file; nil for an image made in memory.
  public var format: ImageFormat? {
    get { storage.format }
    set {
      change {
        $0.format = newValue
        $0.stated.insert(.format)
      }
    }
  }

  /// The information in the file besides the pixels.
  public var metadata: ImageMetadata {
    get { storage.metadata }
    set {
      change {
        $0.metadata = newValue
        $0.stated.insert(.metadata)
      }
    }
  }

  /// The frames of a moving picture; nil for a still one.
  public var frames: (any FrameSource)? {
    get { storage.frames }
    set { change { $0.frames = newValue } }
  }

  /// Flags that tell how the image was made.
  public var traits: Image.Traits {
    get { storage.traits }
    set { change { $0.traits = newValue } }
  }

  /// The number of pixels per point on the screen that the image is meant for.
  public var scaleFactor: Double {
    get { storage.scaleFactor }
    set {
      change {
        $0.scaleFactor = newValue
        $0.stated.insert(.scaleFactor)
      }
    }
  }

  /// The width and height in pixels.
  public var size: PixelSize { storage.bitmap.size }

  /// The same picture without its frames.
  package var withoutFrames: Image {
    guard isAnimated else { return self }
    var still = self
    still.frames = nil
    return still
  }

  /// True when the image has frames to play.
  public var isAnimated: Bool { storage.frames != nil }

  /// The bytes of memory that the image keeps: its bitmap, its metadata with a gain map, and its frame source.
  public var memoryCost: Int {
    storage.bitmap.memoryCost + storage.metadata.memoryCost + (storage.metadata.gainMap?.bitmap.memoryCost ?? 0)
      + (storage.frames?.countableCost ?? 0)
  }

  /// Returns the result of a transformer, with the properties of `original` that the transformer did not set.
  package func inheriting(from original: Image) -> Image {
    let missing = Stated.all.subtracting(storage.stated)
    guard !missing.isEmpty || !traits.isSuperset(of: original.traits) else { return self }
    var result = self
    result.change { storage in
      let given = original.storage
      if missing.contains(.format) { storage.format = given.format }
      if missing.contains(.metadata) { storage.metadata = given.metadata }
      if missing.contains(.scaleFactor) { storage.scaleFactor = given.scaleFactor }
      storage.stated.formUnion(given.stated.intersection(missing))
      storage.traits.formUnion(given.traits)
    }
    return result
  }

  private mutating func change(_ body: (Storage) -> Void) {
    if !isKnownUniquelyReferenced(&storage) || storage.isFrozen.load(ordering: .acquiring) { storage = storage.copy() }
    body(storage)
  }

  /// A weak reference to an image; it returns the image while other code keeps the image or an unchanged copy.
  package struct WeakReference: Sendable {
    private weak let storage: Storage?

    package init(_ image: Image) {
      image.storage.isFrozen.store(true, ordering: .releasing)
      storage = image.storage
    }

    package var image: Image? { storage.map { Image(storage: $0) } }
  }

  private init(storage: Storage) { self.storage = storage }
}

extension Image {
  /// Flags that tell how an image was made.
  public struct Traits: OptionSet, Hashable, Sendable, Codable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Makes a set from raw bits, which option sets need for their own operations.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decoded from only a part of the file.
    public static let partial = Traits(rawValue: 1)
    /// Decoded at a smaller size than stored.
    public static let thumbnail = Traits(rawValue: 2)
    /// Made by a transformer.
    public static let transformed = Traits(rawValue: 4)
    /// Read from a disk cache, which cannot store the gain map.
    package static let lostGainMap = Traits(rawValue: 8)
  }
}
