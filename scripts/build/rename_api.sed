# Renames the words of API 8 (SHOAL_API_VERSION) to those of API 9 in the sources of plugins and programs:
#   sed -E -i -f rename_api.sed FILE…
# GNU sed. A second run changes nothing. The compiler reports the words that the script cannot rename, API 8 -> API 9:
#   value.any, value.text -> value.type, value.string
#   text of settings, texts and widgets; the type text of parameters and results -> string
#   number, vector, text of a shoal_field -> default_number, default_vector, default_string
#   enter, leave of shoal_lists -> entered, left of shoal_observed; handlers of observers keep their names
#   size, room, due of a job -> input_size, output_capacity, due_tick
#   seconds, placed of a sound -> duration_s, positional
#   image, other, add of a look -> texture, texture2, additive of the draw state
#   floats of a uniform -> float_count
#   words, word_count, log, failed of host options -> argv, argc, on_log, on_failure
#   piece, about of a failure; over of a state -> source, doc; finished
#   kind, text of a shoal_host_value -> type, string
#   columns->pos[0], SHOAL_INDEX(body, pos[0]) -> columns->pos.x, SHOAL_COLUMN_INDEX(body, pos.x)
#   C++: why, kill, find, row, text, observe of a world -> last_error, destroy, find_entity, find_row, string,
#   observe_changes; frame, look, exec, sql of a host -> run_frame, state, exec_lua, query; pen -> painter

# The pages that list both words keep them.
/^## From API 8 to 9$/,/^## [^F]/b
/^# 60\. /,$b
/^\| words of the C and C\+\+ API 8/b

# Names that have another meaning in API 9: the function before the type.
s/\bshoal_rows\(/shoal_find_rows(/g
s/\bshoal_table\b/shoal_rows/g
s/\bshoal_read_external \*/shoal_external_read_fn */g

# Conversions of numbers
s/\bshoal_([iu](8|16|32)|f32|f64)\(/shoal_to_\1(/g

# Types
s/\bshoal_wanted\b/shoal_query_desc/g
s/\bshoal_setting\b/shoal_field_value/g
s/\bshoal_lists\b/shoal_observed/g
s/\bshoal_heard\b/shoal_observer_fn/g
s/\bshoal_work\b/shoal_job_fn/g
s/\bshoal_guard\b/shoal_exception_guard_fn/g
s/\bshoal_guard_cpp\b/shoal_exception_guard/g
s/\bshoal_missing_row\b/shoal_row_error/g
s/\bshoal_tell_missing\b/shoal_row_error_fn/g
s/\bshoal_missing_here\b/shoal_row_error_handler/g
s/\bshoal_host_log_function\b/shoal_host_log_fn/g
s/\bshoal_host_failed_function\b/shoal_host_failure_fn/g
s/\bshoal_any\b/shoal_value_type/g
s/\bshoal_kind\b/shoal_component_kind/g
s/\bshoal_level\b/shoal_log_level/g
s/\bshoal_host_level\b/shoal_host_log_level/g
s/\bshoal_host_kind\b/shoal_host_type/g
s/\bshoal_callee\b/shoal_function_handle/g
s/\bshoal_member\b/shoal_table_entry/g
s/\bshoal_stop\b/shoal_stop_token/g
s/\bshoal_previous\b/shoal_handover/g
s/\bshoal_look\b/shoal_draw_state/g
s/\bshoal_words\b/shoal_text_desc/g
s/\bshoal_mouse\b/shoal_mouse_state/g
s/\bshoal_sound\b/shoal_sound_desc/g
s/\bshoal_widget\b/shoal_widget_desc/g

# Functions
s/\bshoal_why\b/shoal_last_error/g
s/\bshoal_component_named\b/shoal_find_component/g
s/\bshoal_column_named\b/shoal_find_column/g
s/\bshoal_row_named\b/shoal_find_instance_row/g
s/\bshoal_row\b/shoal_find_row/g
s/\bshoal_add_named\b/shoal_add_instance/g
s/\bshoal_remove_named\b/shoal_remove_instance/g
s/\bshoal_set_named\b/shoal_set_instance/g
s/\bshoal_get_named\b/shoal_get_instance/g
s/\bshoal_set_text_named\b/shoal_set_string_instance/g
s/\bshoal_event_get_named\b/shoal_event_get_instance/g
s/\bshoal_event_get\b/shoal_event_get_field/g
s/\bshoal_text\b/shoal_string/g
s/\bshoal_text_id\b/shoal_intern/g
s/\bshoal_find_text_id\b/shoal_find_interned/g
s/\bshoal_text_of\b/shoal_get_column_string/g
s/\bshoal_field_text\b/shoal_get_string/g
s/\bshoal_set_text\b/shoal_set_string/g
s/\bshoal_alive\b/shoal_is_alive/g
s/\bshoal_find\b/shoal_find_entity/g
s/\bshoal_kill_many\b/shoal_destroy_many/g
s/\bshoal_kill\b/shoal_destroy/g
s/\bshoal_enter\b/shoal_enter_state/g
s/\bshoal_state_of\b/shoal_entity_state/g
s/\bshoal_name_of\b/shoal_entity_name/g
s/\bshoal_assemblage_of\b/shoal_entity_assemblage/g
s/\bshoal_event_state_of\b/shoal_event_entity_state/g
s/\bshoal_children\b/shoal_get_children/g
s/\bshoal_rows_of\b/shoal_get_rows/g
s/\bshoal_query\b/shoal_query_begin/g
s/\bshoal_instance\b/shoal_row_instance/g
s/\bshoal_hear\b/shoal_read_events/g
s/\bshoal_observe\b/shoal_observe_changes/g
s/\bshoal_changes\b/shoal_change_count/g
s/\bshoal_state\b/shoal_plugin_state/g
s/\bshoal_self\b/shoal_manager_data/g
s/\bshoal_external\b/shoal_read_external/g
s/\bshoal_workers\b/shoal_worker_count/g
s/\bshoal_jobs\b/shoal_parallel_for/g
s/\bshoal_job_result\b/shoal_poll_job/g
s/\bshoal_random\b/shoal_random_u32/g
s/\bshoal_random_unit\b/shoal_random_f32/g
s/\bshoal_resize\b/shoal_realloc/g
s/\bshoal_give_numbers\b/shoal_return_numbers/g
s/\bshoal_give_entities\b/shoal_return_entities/g
s/\bshoal_give_text\b/shoal_return_string/g
s/\bshoal_give_bytes\b/shoal_return_bytes/g
s/\bshoal_put\b/shoal_table_put/g
s/\bshoal_put_number\b/shoal_table_put_number/g
s/\bshoal_put_bool\b/shoal_table_put_bool/g
s/\bshoal_put_entity\b/shoal_table_put_entity/g
s/\bshoal_put_text\b/shoal_table_put_string/g
s/\bshoal_first\b/shoal_table_first/g
s/\bshoal_next\b/shoal_table_next/g
s/\bshoal_member_at\b/shoal_table_find/g
s/\bshoal_get_number\b/shoal_table_get_number/g
s/\bshoal_get_bool\b/shoal_table_get_bool/g
s/\bshoal_get_text\b/shoal_table_get_string/g
s/\bshoal_get_entity\b/shoal_table_get_entity/g
s/\bshoal_value_of\b/shoal_value_init/g
s/\bshoal_function_of\b/shoal_find_function/g
s/\bshoal_try_function_of\b/shoal_try_find_function/g
s/\bshoal_asset\b/shoal_read_asset/g
s/\bshoal_asset_data\b/shoal_get_asset/g
s/\bshoal_asset_wrong\b/shoal_report_asset_error/g
s/\bshoal_hold\b/shoal_store_fd/g
s/\bshoal_held\b/shoal_get_fd/g
s/\bshoal_drop\b/shoal_close_fd/g
s/\bshoal_stops\b/shoal_stop_requested/g
s/\bshoal_screen\b/shoal_get_screen_size/g
s/\bshoal_draw_space\b/shoal_set_draw_space/g
s/\bshoal_draw_layer\b/shoal_set_draw_layer/g
s/\bshoal_draw_colour\b/shoal_set_draw_color/g
s/\bshoal_draw_view\b/shoal_set_draw_camera/g
s/\bshoal_draw_at_depth\b/shoal_set_draw_depth/g
s/\bshoal_draw_blend\b/shoal_set_draw_additive/g
s/\bshoal_draw_uniform\b/shoal_set_uniform/g
s/\bshoal_draw_words\b/shoal_draw_text_desc/g
s/\bshoal_draw_solids\b/shoal_draw_depth_triangles/g
s/\bshoal_draw_pass\b/shoal_draw_fullscreen/g
s/\bshoal_texture_new\b/shoal_texture_create/g
s/\bshoal_texture_put\b/shoal_texture_update/g
s/\bshoal_texture_free\b/shoal_texture_destroy/g
s/\bshoal_shader_new\b/shoal_shader_create/g
s/\bshoal_shader_free\b/shoal_shader_destroy/g
s/\bshoal_action\b/shoal_action_value/g
s/\bshoal_down\b/shoal_action_down/g
s/\bshoal_pressed\b/shoal_action_pressed/g
s/\bshoal_released\b/shoal_action_released/g
s/\bshoal_mouse_now\b/shoal_get_mouse/g
s/\bshoal_typed\b/shoal_text_input/g
s/\bshoal_play\b/shoal_play_sound/g
s/\bshoal_set_volume\b/shoal_set_sound_volume/g
s/\bshoal_panel_widget\b/shoal_panel_add_widget/g
s/\bshoal_scope_begin\b/shoal_profile_begin/g
s/\bshoal_scope_end\b/shoal_profile_end/g
s/\bshoal_world_of\b/shoal_get_world/g
s/\bshoal_component_of_column\b/shoal_find_column_component/g
s/\bshoal_at\b/shoal_check_row/g

# Hosts and the standalone entity system
s/\bshoal_host_defaults\b/shoal_host_default_options/g
s/\bshoal_host_error\b/shoal_host_last_error/g
s/\bshoal_host_frame\b/shoal_host_run_frame/g
s/\bshoal_host_frame_at\b/shoal_host_run_frame_at/g
s/\bshoal_host_look\b/shoal_host_get_state/g
s/\bshoal_host_place\b/shoal_host_set_viewport/g
s/\bshoal_host_event\b/shoal_host_process_event/g
s/\bshoal_host_exec\b/shoal_host_exec_lua/g
s/\bshoal_host_sql\b/shoal_host_query/g
s/\bshoal_host_rows\b/shoal_host_result/g
s/\bshoal_host_rows_free\b/shoal_host_result_free/g
s/\bshoal_host_row_count\b/shoal_host_result_row_count/g
s/\bshoal_host_column_count\b/shoal_host_result_column_count/g
s/\bshoal_host_column_name\b/shoal_host_result_column_name/g
s/\bshoal_host_row\b/shoal_host_result_value/g
s/\bshoal_host_rows_changed\b/shoal_host_result_changes/g
s/\bshoal_host_text\b/shoal_host_string_value/g
s/\bshoal_host_integer\b/shoal_host_integer_value/g
s/\bshoal_host_real\b/shoal_host_real_value/g
s/\bshoal_ecs_template\b/shoal_ecs_define_assemblage/g
s/\bshoal_ecs_template_set\b/shoal_ecs_define_assemblage_set/g
s/\bshoal_ecs_group\b/shoal_ecs_create_group/g
s/\bshoal_ecs_tick\b/shoal_ecs_run_tick/g
s/\bshoal_ecs_count\b/shoal_ecs_entity_count/g
s/\bshoal_ecs_error\b/shoal_ecs_last_error/g

# Macros and constants
s/\bSHOAL_ANY_NOTHING\b/SHOAL_VALUE_TYPE_NIL/g
s/\bSHOAL_ANY_NUMBER\b/SHOAL_VALUE_TYPE_NUMBER/g
s/\bSHOAL_ANY_BOOL\b/SHOAL_VALUE_TYPE_BOOL/g
s/\bSHOAL_ANY_TEXT\b/SHOAL_VALUE_TYPE_STRING/g
s/\bSHOAL_ANY_ENTITY\b/SHOAL_VALUE_TYPE_ENTITY/g
s/\bSHOAL_ANY_NUMBERS\b/SHOAL_VALUE_TYPE_NUMBERS/g
s/\bSHOAL_ANY_TABLE\b/SHOAL_VALUE_TYPE_TABLE/g
s/\bSHOAL_HOST_TEXT\b/SHOAL_HOST_STRING/g
s/\bSHOAL_BUILT_FAST_MATH\b/SHOAL_BUILD_FAST_MATH/g
s/\bSHOAL_BUILT_SHORT_ENUMS\b/SHOAL_BUILD_SHORT_ENUMS/g
s/\bSHOAL_BUILT_BIG_ENDIAN\b/SHOAL_BUILD_BIG_ENDIAN/g
s/\bSHOAL_CHECKS_HERE\b/SHOAL_DEFINE_CHECKS/g
s/\bSHOAL_EXPORT_HERE\b/SHOAL_EXPORT_INIT/g
s/\bSHOAL_IN\b/SHOAL_ROWS_COLUMNS/g
s/\bSHOAL_INDEX\b/SHOAL_COLUMN_INDEX/g
s/\bSHOAL_BLEND_WORDS\b/SHOAL_BLEND_CHOICES/g
s/\bSHOAL_COMPONENT_WITH\b/SHOAL_COMPONENT_WITH_MANAGER/g
s/\bSHOAL_MAX_EMIT\b/SHOAL_MAX_EMIT_ROWS/g
s/\bSHOAL_MAX_FIELDS\b/SHOAL_MAX_COLUMNS/g
s/\bSHOAL_PLACES\b/SHOAL_CALL_CONTEXTS/g
s/\bSHOAL_MAX_MEMBERS\b/SHOAL_MAX_TABLE_ENTRIES/g

# C++
s/\bshoal::inside\b/shoal::detail/g
s/\bshoal::rows\b([^<(]|$)/shoal::result\1/g
s/\bshoal::table</shoal::rows</g
s/\bshoal::hear</shoal::read_events</g
s/\bshoal::pen\b/shoal::painter/g
s/\bshoal::job_wish\b/shoal::job_request/g
s/\bshoal::members\b/shoal::table_view/g
s/\bshoal::writer\b/shoal::table_writer/g
s/\bshoal::of_child\(/shoal::for_child(/g
s/\bshoal::of_instance\(/shoal::for_instance(/g
s/\bshoal::each_of</shoal::each_entity</g
s/\bshoal::table_from\b/shoal::make_table/g
s/\bshoal::kind</shoal::make_asset_type</g
s/\bshoal::state\b/shoal::plugin_state/g
s/\bshoal::lists\b/shoal::observed/g
s/\bshoal::find\(/shoal::find_entity(/g
s/\bshoal::enter\(/shoal::enter_state(/g
s/\bshoal::children\(/shoal::get_children(/g
s/\bshoal::state_of\b/shoal::entity_state/g
s/\bshoal::name_of\b/shoal::entity_name/g
s/\bshoal::assemblage_of\b/shoal::entity_assemblage/g
s/\bshoal::changes</shoal::change_count</g
s/\bshoal::play\(/shoal::play_sound(/g
s/\bshoal::asset</shoal::get_asset</g
s/\bshoal::texture\(/shoal::texture_create(/g
s/\bshoal::uniform\(/shoal::set_uniform(/g
s/\bshoal::triangles\(/shoal::draw_triangles(/g
s/\bshoal::scope\b/shoal::profile_scope/g

# Members in initializers. `any`, `text`, `changes`, `room` and `seconds` only where the line shows the struct.
s/(\.|->)any (=|==|!=) SHOAL_VALUE_TYPE_/\1type \2 SHOAL_VALUE_TYPE_/g
/\bshoal_job\b/s/(^|[ \t{(,`])\.room( ?=)/\1.output_capacity\2/g
/\bshoal_job\b/s/(^|[ \t{(,`])\.size( ?=)/\1.input_size\2/g
/\bshoal_(query_desc|observe)/!s/(^|[ \t{(,`])\.changes( ?= ?true)/\1.concurrent_changes\2/g
/\bshoal_sound_desc\b|\.file = /s/(^|[ \t{(,`])\.seconds( ?=)/\1.duration_s\2/g
/\bshoal_draw_state\b/s/(^|[ \t{(,`])\.image( ?=)/\1.texture\2/g
/\bshoal_draw_state\b/s/(^|[ \t{(,`])\.other( ?=)/\1.texture2\2/g
/\bshoal_draw_state\b/s/(^|[ \t{(,`])\.add( ?=)/\1.additive\2/g
# The type `text` of parameters and results.
:text
s/("[^"]*\b[a-z0-9_]+):text\b/\1:string/
t text
s/(^|[ \t{(,`])\.beside( ?=|`)/\1.concurrent\2/g
s/(^|[ \t{(,`])\.every( ?=|`)/\1.interval_ticks\2/g
s/(^|[ \t{(,`])\.takes( ?=|`)/\1.parameters\2/g
s/(^|[ \t{(,`])\.gives( ?=|`)/\1.results\2/g
s/(^|[ \t{(,`])\.serves( ?=|`)/\1.compatible_version\2/g
s/(^|[ \t{(,`])\.needs( ?=|`)/\1.dependencies\2/g
s/(^|[ \t{(,`])\.restored( ?=|`)/\1.on_restore\2/g
s/(^|[ \t{(,`])\.open_after( ?=|`)/\1.reopen\2/g
s/(^|[ \t{(,`])\.hand_over( ?=|`)/\1.save_handover\2/g
s/(^|[ \t{(,`])\.reaches_outside( ?=|`)/\1.has_side_effects\2/g
s/(^|[ \t{(,`])\.due( ?=|`)/\1.due_tick\2/g
s/(^|[ \t{(,`])\.ending( ?=|`)/\1.extension\2/g
s/(^|[ \t{(,`])\.sharp( ?=|`)/\1.nearest\2/g
s/(^|[ \t{(,`])\.repeats( ?=|`)/\1.repeat\2/g
s/(^|[ \t{(,`])\.placed( ?=|`)/\1.positional\2/g
s/(^|[ \t{(,`])\.own_clock( ?=|`)/\1.external_clock\2/g
s/(^|[ \t{(,`])\.keep_quiet( ?=|`)/\1.no_stderr\2/g
s/(^|[ \t{(,`])\.word_count( ?=|`)/\1.argc\2/g
s/(\.|->)buttons_before\b/\1previous_buttons/g
/\.component = /s/\.text( ?=)/.string\1/g
s/\b(o|options)\.(keep_quiet)\b/\1.no_stderr/g
s/\b(o|options)\.(own_clock)\b/\1.external_clock/g
s/\boptions\.word_count\b/options.argc/g
s/\boptions\.words\b/options.argv/g
s/\boptions\.failed\b/options.on_failure/g
s/\boptions\.log\b/options.on_log/g
s/(SHOAL_[A-Z_]*(COLUMN|INDEX)\([^()]*, [A-Za-z0-9_]+)\[0\]\)/\1.x)/g
s/(SHOAL_[A-Z_]*(COLUMN|INDEX)\([^()]*, [A-Za-z0-9_]+)\[1\]\)/\1.y)/g
s/(SHOAL_[A-Z_]*(COLUMN|INDEX)\([^()]*, [A-Za-z0-9_]+)\[2\]\)/\1.z)/g
s/(SHOAL_[A-Z_]*(COLUMN|INDEX)\([^()]*, [A-Za-z0-9_]+)\[3\]\)/\1.w)/g
s/\bstop->asked\b/stop->requested/g
s/\bstop->wake\b/stop->wake_fd/g
s/\b(term|terms\[[a-z0-9]+\])(->|\.)there\b/\1\2present/g
