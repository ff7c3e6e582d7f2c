import EaselCore
import Glibc

/// Watches a folder, and the folders in it if wanted, with inotify.
///
/// Only one thread uses this object.
final class FolderWatch {
  private struct Place {
    let path: String
    let subfolder: String
  }

  private let root: String
  private let left: String?
  private let recurses: Bool
  private let descriptor: Int32
  private var places: [Int32: Place] = [:]
  private var rootNumber: Int32 = -1

  private static let fileMask = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
  private static let folderMask =
    UInt32(IN_CREATE) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

  /// Begins to watch; the inner folder `left` is not watched.
  init(_ root: String, recurses: Bool, leavingOut left: String?) throws(ImageError) {
    (self.root, self.recurses, self.left) = (root, recurses, left)
    descriptor = inotify_init1(O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(root, errno) }
    try addAll()
  }

  deinit { close(descriptor) }

  /// Watches the root, and the folders in it if wanted.
  private func addAll() throws(ImageError) {
    let code = add(Place(path: root, subfolder: ""))
    guard code == 0 else { throw Self.failure(root, code) }
  }

  /// Watches a folder; returns the error's number, or 0.
  ///
  /// A folder that has vanished in the meantime is no error.
  private func add(_ place: Place) -> Int32 {
    if let left, let identity = FileIdentity(folder: left), identity == FileIdentity(folder: place.path) { return 0 }
    let number = inotify_add_watch(descriptor, place.path, Self.fileMask | Self.folderMask)
    guard number >= 0 else { return place.subfolder.isEmpty || errno != ENOENT && errno != ENOTDIR ? errno : 0 }
    places[number] = place
    if place.path == root { rootNumber = number }
    guard recurses, let folder = opendir(place.path) else { return 0 }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = FolderWalk.name(of: entry)
      let path = "\(place.path)/\(name)"
      var status = stat()
      guard !name.hasPrefix("."), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      let code = add(Place(path: path, subfolder: place.subfolder.isEmpty ? name : "\(place.subfolder)/\(name)"))
      guard code == 0 else { return code }
    }
    return 0
  }

  /// The next events; blocks until there is at least one.
  func next() throws(ImageError) -> [FolderEvent] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(root, errno) }
      var events: [FolderEvent] = []
      var rest = buffer[..<count]
      while rest.count >= Self.headLength {
        let (event, length) = Self.event(rest)
        try take(event, &events)
        rest = rest.dropFirst(length)
      }
      if !events.isEmpty { return events }
    }
  }

  private struct Event {
    let number: Int32
    let mask: UInt32
    let name: String
  }

  /// The length of the head of an event: a number, a mask, a number that joins events, and the length of the name, 32
  /// bits each.
  private static let headLength = 16

  private static func event(_ bytes: ArraySlice<UInt8>) -> (Event, Int) {
    bytes.withUnsafeBytes { bytes in
      let length = headLength + Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      let name = bytes[headLength..<min(length, bytes.count)].prefix { $0 != 0 }
      let event = Event(
        number: bytes.loadUnaligned(as: Int32.self), mask: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
        name: String(decoding: name, as: UTF8.self))
      return (event, length)
    }
  }

  private func take(_ event: Event, _ events: inout [FolderEvent]) throws(ImageError) {
    func has(_ flag: Int32) -> Bool { event.mask & UInt32(bitPattern: flag) != 0 }
    if has(IN_Q_OVERFLOW) {
      try renew()
      return events.append(.lost)
    }
    if has(IN_IGNORED) {
      places[event.number] = nil
      return
    }
    if event.number == rootNumber, has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) {
      return events.append(.gone)
    }
    guard let place = places[event.number], !event.name.isEmpty, !event.name.hasPrefix(".") else { return }
    let path = place.path.hasSuffix("/") ? place.path + event.name : "\(place.path)/\(event.name)"
    let below = place.subfolder.isEmpty ? event.name : "\(place.subfolder)/\(event.name)"
    if event.mask & Self.isFolder == 0 {
      if event.mask & Self.fileMask != 0, FolderWalk.isPicture(event.name) {
        events.append(.file(path: path, subfolder: place.subfolder))
      }
    } else if has(IN_MOVED_FROM) {
      forget(path)
    } else if recurses, has(IN_CREATE) || has(IN_MOVED_TO) {
      let code = add(Place(path: path, subfolder: below))
      guard code == 0 else { throw Self.failure(path, code) }
      // Files may have arrived before the folder was watched.
      events.append(.folder(path: path, subfolder: below))
    }
  }

  private static let isFolder: UInt32 = 0x4000_0000

  /// Watches the folders that are there now: the events that were dropped may have been of folders that came or went.
  private func renew() throws(ImageError) {
    let former = places.keys
    places = [:]
    try addAll()
    for number in former where places[number] == nil { inotify_rm_watch(descriptor, number) }
  }

  /// Stops watching a folder that was moved away, and the folders in it.
  private func forget(_ path: String) {
    for (number, place) in places where place.path == path || place.path.hasPrefix(path + "/") {
      inotify_rm_watch(descriptor, number)
      places[number] = nil
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> ImageError {
    let advice =
      code == ENOSPC
      ? " The system allows no more watches: raise fs.inotify.max_user_watches, or watch fewer folders."
      : code == EMFILE ? " Too many programs of this user watch folders: raise fs.inotify.max_user_instances." : ""
    return ImageError(
      .badImageData, "\(path) cannot be watched: \(SystemError(code: code)).\(advice)", subject: path,
      cause: SystemError(code: code))
  }
}
