import EaselCore

extension LoadPriority {
  /// The priority of a task that works for a load.
  ///
  /// All loads but urgent ones share one priority. The task of an urgent load would otherwise wait for a thread behind
  /// those of all others.
  package var ofTask: TaskPriority { self >= .high ? .high : .medium }
}
